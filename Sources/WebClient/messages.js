// What the client says and asks: notices, dialogs, and panels beside a button.

import {boxOf, el, iconButton, on} from './elements.js'
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

// Shows a sentence for some seconds, with an action if one is given.
export function tell(text, {action, label, isRefusal = false, seconds = 8} = {}) {
  const notice = el('p', {class: isRefusal ? 'notice refusal' : 'notice'}, el('span', {dir: 'auto'}, text))
  const end = () => notice.remove()
  if (action) notice.append(el('button', {onclick: () => (end(), action())}, label))
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
  on(connection, 'lost', () => setTimeout(() => connection.isLost
    && setState('lost', 'The connection is lost. What is shown may be old; trying again…'), 1000))
  on(connection, 'found', () => {
    setState('lost', null)
    checkFreshness()
  })
  on(live, 'beat', checkFreshness)
  on(live, 'change', () => states.has('stale') && checkFreshness())
}

// MARK: Questions to the reader.

// Asks with some content; gives the value of the button that was taken, or null.
export function ask(title, content, buttons) {
  const heading = el('h2', {id: 'dialog-title'}, title)
  const form = el('form', {method: 'dialog'}, heading, ...content, el('div.buttons',
    ...buttons.map(({text, value, kind}) => el('button', {class: 'button ' + (kind ?? ''), value, type: kind === 'main' ? 'submit' : 'button',
      onclick: event => kind !== 'main' && (event.preventDefault(), dialog.close(value))}, text))))
  const dialog = el('dialog', {'aria-labelledby': 'dialog-title'}, form)
  on(dialog, 'keydown', event => event.stopPropagation())
  document.body.append(dialog)
  dialog.showModal()
  const first = dialog.querySelector('input, textarea, select, .main')
  first?.focus()
  first?.select?.()
  return new Promise(resolve => on(dialog, 'close', () => {
    dialog.remove()
    resolve(dialog.returnValue || null)
  }))
}

const CANCEL = {text: 'Cancel', value: ''}

export async function askText(title, label, value, done) {
  const field = el('input', {required: true, autocomplete: 'off', dir: 'auto'})
  field.value = value
  const answer = await ask(title, [el('label', label, field)], [CANCEL, {text: done, value: 'done', kind: 'main'}])
  return answer ? field.value : null
}

// One question at a time, for however many requests wait for it.
let asked = null
token.ask = purpose => asked ??= askToken(purpose).finally(() => asked = null)

async function askToken(purpose) {
  const field = el('input', {type: 'password', required: true, autocomplete: 'off'})
  const answer = await ask(purpose === 'editing' ? 'Edit the document' : 'This service needs a token', [
    el('p', 'The token is kept for this tab only.'), el('label', 'Token', field),
  ], [CANCEL, {text: 'Use the token', value: 'done', kind: 'main'}])
  if (!answer) return false
  token.value = field.value.trim()
  return true
}

// MARK: A small panel beside the button that opens it.

// Opens a panel with this content; it closes by Escape, by a click elsewhere, and by `close()`.
export function openPanel(button, label, content) {
  document.querySelector('.panel')?.hidePopover()
  const panel = el('div.panel', {popover: 'auto', role: 'dialog', 'aria-label': label}, ...content)
  document.body.append(panel)
  on(panel, 'toggle', event => {
    if (event.newState !== 'closed') return
    const hadFocus = panel.contains(document.activeElement) || document.activeElement === document.body
    panel.remove()
    if (hadFocus) button.focus()
  })
  panel.showPopover()
  const at = boxOf(button), size = boxOf(panel)
  panel.style.top = Math.max(8, Math.min(at.bottom + 4, innerHeight - size.height - 8)) + 'px'
  panel.style.left = Math.max(8, Math.min(at.right - size.width, innerWidth - size.width - 8)) + 'px'
  panel.querySelector('button, a, select, input')?.focus()
  on(panel, 'keydown', event => event.stopPropagation())
  return {element: panel, close: () => panel.isConnected && panel.hidePopover()}
}

export function menuButton(text, onclick) {
  return el('button.menu-item', {onclick}, text)
}

export function menuLink(text, href) {
  return el('a.menu-item', {href, target: '_blank', rel: 'noopener'}, text)
}
