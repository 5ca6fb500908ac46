// Notices: messages that disappear after some seconds, and states that are shown until they end.

import {el, iconButton, on} from './elements.js'
import {connection, getJSON, live, token} from './service.js'

const area = document.querySelector('.notices')
const states = new Map()

// Shows a notice for the state `name`. Another text replaces the notice, and null removes it.
function setState(name, text) {
  if (states.get(name)?.textContent === text) return
  states.get(name)?.remove()
  states.delete(name)
  if (!text) return
  const notice = el('p.notice.state', text)
  states.set(name, notice)
  area.append(notice)
}

// The maximum number of offers on the screen.
const OFFERS = 3

/**
 * Shows a message for some seconds. With `action`, the message is an offer with a button. Other messages do not replace
 * an offer. After the button was pressed, the offer stays until the action returns true.
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
  const notice = el(isRefusal ? 'p.notice.refusal' : action ? 'p.notice.offer' : 'p.notice',
    el('span', {dir: 'auto'}, text),
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
    && `The latest version of the document cannot be read; what is shown is the last good one. ${token.value
      && state.lastError || ''}`.trim())
}

// Tells that a module cannot be loaded: the service was replaced by another version, or it cannot be reached.
async function tellMissingModule() {
  const isReachable = await fetch(import.meta.url, {cache: 'no-store'}).then(({status}) => status !== 404, () => null)
  tell(isReachable === false ? 'This page is out of date.' : 'A part of this page cannot be read.',
    {label: isReachable === false ? 'Reload' : 'Try again', action: () => location.reload(), seconds: 600})
}

export function watchState() {
  // Shows the refusal of a request that was made by a key or a button, if no other code handles the refusal.
  on(window, 'unhandledrejection', ({reason}) => {
    if (reason.status && reason.status !== 401) refuse(reason.message)
    if (/module/i.test(reason.message) && reason instanceof TypeError) tellMissingModule()
  })
  for (const type of ['lost', 'found'])
    on(connection, type, () => document.body.classList.toggle('lost', connection.isLost))
  // A service that is restarted within a second needs no notice.
  on(connection, 'lost', () => setTimeout(() => connection.isLost
    && setState('lost', 'The connection is lost. What is shown may be old; trying again…'), 2000))
  on(connection, 'found', () => {
    setState('lost')
    checkFreshness()
  })
  on(live, 'beat', checkFreshness)
  on(live, 'change', () => states.has('stale') && checkFreshness())
}

// All requests that need a token share one dialog. The module of the dialog is loaded when it is needed.
let asked = null
token.ask = (purpose, why) =>
  asked ??= import('./dialogs.js').then(({askToken}) => askToken(purpose, why)).finally(() => asked = null)
