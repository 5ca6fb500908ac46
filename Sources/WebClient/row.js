// What a row shows, and the controls of a settings page.

import {asset, brief, count, debounced, el, icon, isColour, on, oneLine, plural, stop} from './elements.js'
import {tell} from './messages.js'
import {Place} from './place.js'
import {send, token} from './service.js'

// MARK: What a row shows: image, title, subtitle or trail, value, count, and the mark of a branch.

// Draws a row into its list item, unless it shows that row already. `context`: selected, isTree, onToggle.
export function drawRow(item, row, context) {
  const shown = row && `${row.href} ${row.version} ${row.indent ?? ''} ${row.expanded ?? ''} ${context.mode ?? ''}`
  if (item.shown !== shown || !shown) {
    const hadFocus = item.contains(document.activeElement) && document.activeElement.matches('.row')
    item.shown = shown
    item.replaceChildren(...(row ? content(row, context) : [el('div.row.waiting', el('i'))]))
    if (hadFocus) item.querySelector('.row')?.focus({preventScroll: true})
  }
  if (row) markSelected(item, row, context)
}

export function markSelected(item, row, {selected, isTree, marked}) {
  const link = item.querySelector('.row')
  if (!link) return
  const isSelected = selected != null && itemPath(row.href) === selected
  if (isTree) link.setAttribute('aria-selected', String(isSelected))
  else if (isSelected) link.setAttribute('aria-current', 'true')
  else link.removeAttribute('aria-current')
  const isMarked = Boolean(marked?.has(row.href))
  item.classList.toggle('marked', isMarked)
  item.querySelector('.mark')?.setAttribute('aria-checked', String(isMarked))
}

// The path of a row's item, as that of a place.
export const itemPath = href => href.replace(/^\/(levels|detail)\/?/, '')

function content(row, context) {
  const place = Place.ofLink(row.href)
  const isControl = row.control && row.leaf
  const link = el('a', {
    class: isControl ? 'row has-control' : 'row', href: place.address, 'data-href': row.href, tabindex: '-1', draggable: 'false',
    role: context.isTree ? 'treeitem' : null,
    'aria-level': context.isTree ? row.indent + 1 : null,
    'aria-expanded': context.isTree && !row.leaf ? String(row.expanded) : null,
  })
  if (context.isTree) link.style.setProperty('--indent', row.indent)
  if (context.isTree) link.append(disclosure(row, context))
  link.append(...(isControl ? [texts(row)] : parts(row)))
  const [mark, handle] = context.decorate?.(row) ?? []
  return [mark, link, isControl && control(row, context), handle].filter(Boolean)
}

function parts(row) {
  const {Image: image, Value: value} = row.fields
  return [
    asset(image) && picture(image), texts(row),
    value !== undefined && valueText(value),
    row.error ? el('span.mark-error', {title: row.error}, '!') : null,
    !row.leaf && el('span.count', {'aria-label': plural(row.count, 'row', 'rows')}, count(row.count)),
    row.leaf ? null : icon('forward'),
  ].filter(Boolean)
}

function picture(name) {
  const image = el('img', {src: asset(name), alt: '', loading: 'lazy', decoding: 'async'})
  on(image, 'error', () => image.classList.add('missing'), {once: true})
  return image
}

function texts(row) {
  const second = row.error ?? (row.trail?.length ? row.trail.join(' › ') : row.fields.Subtitle)
  const title = oneLine(row.title.slice(0, 400))
  return el('span.texts',
    el('span.title', {dir: 'auto'}, title || (row.control?.key ?? ' ')),
    second === undefined || second === '' ? null
      : el('span', {class: row.error ? 'subtitle error' : 'subtitle', dir: 'auto'}, brief(second)))
}

function valueText(value) {
  const text = el('span.value', {dir: 'auto'}, brief(value))
  if (isColour(value)) {
    const swatch = el('span.swatch')
    swatch.style.backgroundColor = value
    text.prepend(swatch)
  }
  return text
}

function disclosure(row, {onToggle}) {
  if (row.leaf) return el('span.disclosure')
  return el('span', {
    class: row.expanded ? 'disclosure open' : 'disclosure',
    onclick: event => {
      stop(event)
      onToggle(row)
    },
  }, icon('forward'))
}

// Whether a row needs the height of two lines.
export const isTall = row =>
  Boolean(row.error || row.trail?.length || row.fields.Image || (row.fields.Subtitle ?? '') !== '')

// MARK: The controls of a settings page, as the browser's own.

const KEYBOARDS = {
  Numeric: 'numeric', NumberPad: 'numeric', NumbersAndPunctuation: 'decimal', EmailAddress: 'email', URL: 'url',
}

// The control of a row. Without an edit token it only shows its value.
function control(row, {canEdit}) {
  const make = MAKERS[row.control.type] ?? shownValue
  const title = row.title || row.control.key || 'Value'
  const holder = el('span.control')
  const store = async value => {
    try {
      await send('PATCH', row.href, {Value: value})
    } catch (error) {
      holder.replaceChildren(make(row.control, store, title, !canEdit))
      tell(error.status ? error.message : 'The value was not saved: the connection is lost.', {isRefusal: true})
    }
  }
  holder.append(make(row.control, store, title, !canEdit || !token.value))
  return holder
}

const MAKERS = {ToggleSwitch: toggle, Checkbox: toggle, Slider: slider, MultiValue: choice, RadioGroup: radio, TextField: textField}

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
  const output = el('output', brief(value ?? min))
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
  return el('span.slider', range, output)
}

function choice({value, options = []}, store, label, disabled) {
  const select = el('select', {'aria-label': label, disabled, onchange: () => store(options[select.selectedIndex].value)},
    ...options.map(option => el('option', option.title)))
  select.selectedIndex = options.findIndex(option => option.value === value)
  return select
}

function radio({key, value, choice}, store, label, disabled) {
  const button = el('input', {type: 'radio', name: key, 'aria-label': label, disabled, onchange: () => store(choice)})
  button.checked = value === choice
  return button
}

function textField({value, secure, keyboard}, store, label, disabled) {
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
  return el('span.value', {dir: 'auto'}, value === undefined ? '' : brief(value))
}
