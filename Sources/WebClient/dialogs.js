// Questions to the reader.

import {token} from './api.js'
import {el} from './dom.js'

// Asks with some content; gives the value of the button that was taken, or null.
export function ask(title, content, buttons) {
  const heading = el('h2', {id: 'dialog-title'}, title)
  const form = el('form', {method: 'dialog'}, heading, ...content, el('div', {class: 'buttons'},
    ...buttons.map(({text, value, kind}) => el('button', {class: 'button ' + (kind ?? ''), value, type: kind === 'main' ? 'submit' : 'button',
      onclick: event => kind !== 'main' && (event.preventDefault(), dialog.close(value))}, text))))
  const dialog = el('dialog', {'aria-labelledby': 'dialog-title'}, form)
  dialog.addEventListener('keydown', event => event.stopPropagation())
  document.body.append(dialog)
  dialog.showModal()
  const first = dialog.querySelector('input, textarea, select, .main')
  first?.focus()
  first?.select?.()
  return new Promise(resolve => dialog.addEventListener('close', () => {
    dialog.remove()
    resolve(dialog.returnValue || null)
  }))
}

const CANCEL = {text: 'Cancel', value: ''}

export async function askText(title, label, value, done) {
  const field = el('input', {required: true, autocomplete: 'off', dir: 'auto'})
  field.value = value
  const answer = await ask(title, [el('label', null, label, field)], [CANCEL, {text: done, value: 'done', kind: 'main'}])
  return answer ? field.value : null
}

// One question at a time, for however many requests wait for it.
let asked = null
token.ask = purpose => asked ??= askToken(purpose).finally(() => asked = null)

async function askToken(purpose) {
  const field = el('input', {type: 'password', required: true, autocomplete: 'off'})
  const answer = await ask(purpose === 'editing' ? 'Edit the document' : 'This service needs a token', [
    el('p', null, 'The token is kept for this tab only.'), el('label', null, 'Token', field),
  ], [CANCEL, {text: 'Use the token', value: 'done', kind: 'main'}])
  if (!answer) return false
  token.value = field.value.trim()
  return true
}
