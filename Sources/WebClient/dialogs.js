// Dialogs, and panels beside a button. This module is loaded when the first dialog or panel is needed.

import {boxOf, el, hasFocus, on, within} from './elements.js'
import {send, token} from './service.js'

// Shows a dialog with content and buttons. The first button cancels, and the last button is the default. Resolves to
// the text of the pressed button; to null if the dialog is cancelled or has only one button. With `attempt`, the
// default button calls `attempt`, and the dialog stays open until the call succeeds.
export function ask(title, content, [cancel, ...others], attempt) {
  const main = others.pop() ?? cancel, problem = el('p.problem', {role: 'alert'})
  const submit = async event => {
    if (!attempt) return
    event.preventDefault()
    button.disabled = true
    problem.textContent = ''
    try {
      await attempt()
      dialog.close(main)
    } catch (error) {
      problem.textContent = error.sentence ?? reason(error)
      // Select the refused text, so that typing replaces it.
      first.select?.()
    }
    button.disabled = false
  }
  const button = el('button.button.main', {type: 'submit', value: main}, main)
  const dialog = el('dialog', {ariaLabel: title, onkeydown: event => event.stopPropagation()},
    el('form', {method: 'dialog', onsubmit: submit}, el('h2', title), ...content, problem, el('div.buttons',
      ...[cancel, ...others].filter(text => text !== main).map(text =>
        el('button.button', {onclick: () => dialog.close(text)}, text)), button)))
  document.body.append(dialog)
  dialog.showModal()
  const first = dialog.querySelector('input, textarea, select, .main')
  first.focus()
  first.select?.()
  return new Promise(resolve => dialog.onclose = () => {
    dialog.remove()
    resolve(dialog.returnValue === cancel ? null : dialog.returnValue || null)
  })
}

// Asks for a text. The dialog stays open until `attempt` succeeds with the text.
export function askText(title, label, value, done, attempt) {
  const field = el('input', {required: true, autocomplete: 'off', dir: 'auto', value})
  return ask(title, [el('label', label, field)], ['Cancel', done], () => attempt(field.value))
}

// The message about an edit that has failed.
export const reason = ({status, message}, prefix = 'Not saved') =>
  `${prefix}: ` + ([401, 403].includes(status) ? 'your token does not allow edits any more.'
  : status ? message : 'the connection is lost.')

export async function askToken(purpose, why) {
  why ??= purpose === 'reading' && token.value ? 'That token is not right.' : 'The token is kept for this tab only.'
  const field = el('input', {type: 'password', required: true, autocomplete: 'off'}), {value: before} = token
  const attempt = async () => {
    token.value = field.value.trim()
    try {
      await (purpose === 'editing' ? allowsEdits() : allowsReading())
    } catch (error) {
      token.value = before
      throw error
    }
  }
  return ask(purpose === 'editing' ? 'Edit the document' : 'This service needs a token', [
    el('p', why), el('label', 'Token', field),
  ], ['Cancel', 'Use the token'], attempt)
}

// Tests the token with an edit that changes nothing, or with a read. Throws an error with a `sentence` if the token is
// refused or the connection is lost. Any other refusal counts as a success.
async function trial(method, target, content, refusal) {
  try {
    await send(method, target, content)
  } catch (error) {
    if (error.status && ![401, 403].includes(error.status)) return true
    throw Object.assign(error, {sentence: error.status ? refusal : 'The connection is lost.'})
  }
  return true
}

export const allowsEdits = () => trial('PATCH', '/detail/', {}, 'This token does not allow edits.')

const allowsReading = () => trial('GET', '/detail/', undefined, 'That token is not right.')

// MARK: A small panel beside the button that opens it.

// Opens a panel with content, and returns it. Escape or a click elsewhere closes the panel, and the focus returns to
// the button.
export function openPanel(button, label, content) {
  document.querySelector('.panel')?.hidePopover()
  /** @type {any} */
  const panel = el('div.panel', {popover: 'auto', role: 'dialog', ariaLabel: label, onkeydown: event => {
    event.stopPropagation()
    moveFocus(panel, event)
  }}, ...content)
  document.body.append(panel)
  on(panel, 'toggle', event => {
    if (event.newState !== 'closed') return
    const hadFocus = hasFocus(panel) || document.activeElement === document.body
    panel.remove()
    if (hadFocus) button.focus()
  })
  panel.showPopover()
  const at = boxOf(button), size = boxOf(panel)
  panel.style.top = within(8, at.bottom + 4, innerHeight - size.height - 8) + 'px'
  panel.style.left = within(8, at.width ? at.right - size.width : at.left, innerWidth - size.width - 8) + 'px'
  panel.querySelector('button, a, select, input').focus()
  return panel
}

// An item of a menu. The menu closes before the action, which may open another.
export const menuItem = (text, action) => el('button.menu-item', {onclick: ({target}) => {
  target.closest('.panel').hidePopover()
  action()
}}, text)

// The up and down arrow keys, Home and End move the focus among the items of a panel.
function moveFocus(panel, event) {
  if (event.target.matches('select, input:not([type=checkbox])')) return
  const items = [...panel.querySelectorAll('button, a, select, input')], index = items.indexOf(event.target)
  const next = {ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: -1}[event.key]
  if (next === undefined) return
  event.preventDefault()
  items.at(next % items.length).focus()
}
