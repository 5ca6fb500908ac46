// What the reader is told in words: states that last until they are over, and messages that go by themselves.

import {connection, getJSON} from './api.js'
import {el, iconButton} from './dom.js'
import {live} from './live.js'

const area = document.querySelector('.notices')
const states = new Map()

// Shows a sentence under a name until it is set to null.
function setState(name, text) {
  if (states.get(name)?.textContent === text) return
  states.get(name)?.remove()
  states.delete(name)
  if (!text) return
  const notice = el('p', {class: 'notice state'}, text)
  states.set(name, notice)
  area.append(notice)
}

// Shows a sentence for some seconds, with an action if one is given.
export function tell(text, {action, label, isRefusal = false, seconds = 8} = {}) {
  const notice = el('p', {class: isRefusal ? 'notice refusal' : 'notice'}, el('span', {dir: 'auto'}, text))
  const end = () => notice.remove()
  if (action) notice.append(el('button', {type: 'button', onclick: () => (end(), action())}, label))
  notice.append(iconButton('close', 'Dismiss', end))
  for (const old of area.querySelectorAll('.notice:not(.state)')) old.remove()
  area.append(notice)
  setTimeout(end, seconds * 1000)
  return end
}

async function checkFreshness() {
  if (document.hidden) return
  const state = await getJSON('/readyz').catch(() => null)
  if (!state) return
  const isStale = state.status === 'stale'
  setState('stale', isStale
    ? `The latest version of the document cannot be read; what is shown is the last good one. ${state.lastError ?? ''}`
    : null)
}

export function watchState() {
  // A stream that is only taken up again is not worth a word.
  connection.addEventListener('lost', () => setTimeout(() => connection.isLost
    && setState('lost', 'The connection is lost. What is shown may be old; trying again…'), 1000))
  connection.addEventListener('found', () => {
    setState('lost', null)
    checkFreshness()
  })
  live.addEventListener('beat', checkFreshness)
  live.addEventListener('change', () => states.has('stale') && checkFreshness())
}
