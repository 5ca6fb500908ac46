// The controls of a settings page, as the browser's own.

import {Problem, send, token} from './api.js'
import {debounced, el} from './dom.js'
import {brief} from './format.js'
import {tell} from './notices.js'

const KEYBOARDS = {
  Numeric: 'numeric', NumberPad: 'numeric', NumbersAndPunctuation: 'decimal', EmailAddress: 'email', URL: 'url',
}

// The control of a row. Without an edit token it only shows its value.
export function control(row, {canEdit}) {
  const make = MAKERS[row.control.type] ?? shownValue
  const title = row.title || row.control.key || 'Value'
  const holder = el('span', {class: 'control'})
  const store = async value => {
    try {
      await send('PATCH', row.href, {Value: value})
    } catch (error) {
      holder.replaceChildren(make(row.control, store, title, !canEdit))
      tell(error instanceof Problem ? error.message : 'The value was not saved: the connection is lost.', {isRefusal: true})
    }
  }
  holder.append(make(row.control, store, title, !canEdit || !token.value))
  return holder
}

const MAKERS = {ToggleSwitch: toggle, Checkbox: toggle, Slider: slider, MultiValue: choice, RadioGroup: radio, TextField: text}

function toggle({value, trueValue = true, falseValue = false, type}, store, label, disabled) {
  const box = el('input', {
    type: 'checkbox', role: type === 'Checkbox' ? null : 'switch', class: type === 'Checkbox' ? null : 'switch',
    'aria-label': label, disabled, onchange: () => store(box.checked ? trueValue : falseValue),
  })
  box.checked = value === trueValue
  return box
}

function slider({value, min = 0, max = 1}, store, label, disabled) {
  const save = debounced(250, () => store(Number(range.value)))
  const output = el('output', null, brief(value ?? min))
  const range = el('input', {
    type: 'range', min, max, step: 'any', 'aria-label': label, disabled,
    oninput: () => {
      output.textContent = brief(Math.round(Number(range.value) * 1000) / 1000)
      save()
    },
    onkeydown: event => event.stopPropagation(),
  })
  // Step by step by the keys, although any value is allowed.
  range.step = String((max - min) / 100)
  range.value = String(value ?? min)
  return el('span', {class: 'slider'}, range, output)
}

function choice({value, options = []}, store, label, disabled) {
  const select = el('select', {'aria-label': label, disabled, onchange: () => store(options[select.selectedIndex].value)},
    ...options.map(option => el('option', null, option.title)))
  select.selectedIndex = options.findIndex(option => option.value === value)
  return select
}

function radio({key, value, choice}, store, label, disabled) {
  const button = el('input', {type: 'radio', name: key, 'aria-label': label, disabled, onchange: () => store(choice)})
  button.checked = value === choice
  return button
}

function text({value, secure, keyboard}, store, label, disabled) {
  const isNumber = typeof value === 'number'
  const field = el('input', {
    type: secure ? 'password' : 'text', inputmode: KEYBOARDS[keyboard] ?? null, 'aria-label': label, disabled,
    autocomplete: 'off',
    onchange: () => store(isNumber && field.value.trim() !== '' ? Number(field.value) : field.value),
    onkeydown: event => {
      event.stopPropagation()
      if (event.key === 'Enter') field.blur()
    },
  })
  field.value = value ?? ''
  return field
}

function shownValue({value}) {
  return el('span', {class: 'value', dir: 'auto'}, value === undefined ? '' : brief(value))
}
