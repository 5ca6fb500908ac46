// What the client says: notices that go by themselves, and states that last until they are over.

import {el, iconButton, on} from './elements.js'
import {connection, getJSON, live, token} from './service.js'

// MARK: What the reader is told in words: states that last until they are over, and messages that go by themselves.

const area = document.querySelector('.notices')
const states = new Map()

// Shows a sentence under a name until it is set to null.
function setState(name, text) {
  if (states.get(name)?.textContent === text) return
  states.get(name)?.remove()
  states.delete(name)
  if (!text) return
  const notice = el('p.notice.state', text)
  states.set(name, notice)
  area.append(notice)
}

// So many offers stand at once.
const OFFERS = 3

/**
 * Shows a sentence for some seconds. With an action it is an offer: other sentences leave it there, and once it was
 * taken it stays until the action gives that it is done.
 * @param {string} text
 * @param {{action?: () => any, label?: string, isRefusal?: boolean, seconds?: number}} how
 */
export function tell(text, {action, label, isRefusal = false, seconds = 8} = {}) {
  const end = () => notice.remove()
  const take = async () => {
    clearTimeout(timer)
    button.disabled = true
    if (await action()) end()
    button.disabled = false
  }
  const button = action && el('button', {onclick: take}, label)
  const notice = el(isRefusal ? 'p.notice.refusal' : action ? 'p.notice.offer' : 'p.notice', el('span', {dir: 'auto'}, text),
    button, iconButton('close', 'Dismiss', end))
  area.querySelector('.notice:not(.state, .offer)')?.remove()
  if (action) [...area.querySelectorAll('.offer')].at(-OFFERS)?.remove()
  area.append(notice)
  const timer = setTimeout(end, seconds * 1000)
}

export const refuse = (text, seconds) => tell(text, {isRefusal: true, seconds})

async function checkFreshness() {
  if (document.hidden) return
  const state = await getJSON('/readyz')
  setState('stale', state.status === 'stale'
    && `The latest version of the document cannot be read; what is shown is the last good one. ${state.lastError ?? ''}`)
}

export function watchState() {
  // What was asked for by a key or a button and is refused.
  on(window, 'unhandledrejection', ({reason}) => reason.status && reason.status !== 401 && refuse(reason.message))
  // A stream that is only taken up again is not worth a word.
  on(connection, 'lost', () => setTimeout(() => connection.isLost
    && setState('lost', 'The connection is lost. What is shown may be old; trying again…'), 1000))
  on(connection, 'found', () => {
    setState('lost')
    checkFreshness()
  })
  on(live, 'beat', checkFreshness)
  on(live, 'change', () => states.has('stale') && checkFreshness())
}

// One question at a time, for however many requests wait for it. The dialog is loaded when it is needed.
let asked = null
token.ask = (purpose, why) =>
  asked ??= import('./dialogs.js').then(({askToken}) => askToken(purpose, why)).finally(() => asked = null)
