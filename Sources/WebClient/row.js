// Drawing of rows, and the controls of a settings page.

import {asset, brief, choiceField, count, debounced, el, foldCase, hasFocus, icon, isColour, isPlainKey, isSetting,
  marked, measured, on, oneLine, plural, shortForm, stop, swatch, tick, titleText, toggleSwitch} from './elements.js'
import {refuse, tell} from './messages.js'
import {itemPath} from './place.js'
import {send, showImage, token} from './service.js'

// MARK: The content of a row: image, title, subtitle or trail, value, count, and the mark of a branch.

// What the elements of rows show, and the elements of controls whose values are being stored.
const states = new WeakMap(), storing = new WeakSet()

// Draws a row into its list item, unless the item already shows this state of the row.
// `context`: app, place, selected, marked, isTree, isEditing, hasImages, columns, decorate, onToggle, refresh.
export function drawRow(item, row, context) {
  const shown = row && [row.href, row.version, row.indent, row.expanded, context.isEditing, context.hasImages,
    context.columns, [...context.fitted], context.place.query].join(' ')
  if (states.get(item) !== shown || !shown) {
    const focused = hasFocus(item) && document.activeElement
    // A field with the focus is drawn again when it has lost the focus, and a dragged slider when the drag has ended.
    const held = item.querySelector('[type=range]:active, :is([type=text], [type=password]):focus')
    if (held) {
      // A changed control is not drawn again with its old value; `store` draws the row with the new value.
      held.onblur = held.onpointerup = () => setTimeout(() =>
        held.isConnected && !storing.has(held.closest('.control')) && drawRow(item, row, context))
      return
    }
    states.set(item, shown)
    item.replaceChildren(...(row ? content(row, context) : [el('div.row.waiting', el('i'))]))
    if (focused)
      item.querySelector(focused.matches('.row') ? '.row' : '.control :is(input, select)')?.focus({preventScroll: true})
  }
  if (row) markSelected(item, row.href, context)
}

export function markSelected(item, href, {selected, isTree, marked, isCut}) {
  const link = item.querySelector('.row')
  const path = itemPath(href), isSelected = path === selected, isMarked = marked.has(path)
  if (isTree) link.ariaSelected = isSelected
  else link.ariaCurrent = isSelected ? 'true' : null
  item.classList.toggle('marked', isMarked)
  item.classList.toggle('cut', Boolean(isCut?.(path)))
  for (const mark of item.querySelectorAll('.mark')) mark.ariaChecked = isMarked
}

function content(row, context) {
  const {isTree} = context, isControl = row.control && row.leaf
  const link = el('a', {
    class: isControl ? 'row has-control' : 'row', href: context.place.toLink(row.href).address, tabIndex: -1,
      draggable: false,
    ...(isTree && {role: 'treeitem', ariaLevel: row.indent + 1, ariaExpanded: row.leaf ? null : row.expanded}),
  }, isTree && disclosure(row, context), ...(isControl ? [texts(row, context)] : parts(row, context)))
  if (isTree) link.style.setProperty('--indent', row.indent)
  if (isControl) on(link, 'click', event => press(event, link.nextSibling, context.app))
  const [mark, handle] = context.decorate?.(row) ?? []
  return [mark, link, isControl && control(row, context), handle].filter(Boolean)
}

function parts(row, context) {
  const {fields} = row, image = asset(fields.Image), {columns, numeric, fitted, place, hasImages} = context
  // The field by which the rows are sorted is shown in place of `Value`.
  const sorting = place.sortFields.find(name => name in fields) ?? 'Value',
    value = columns.length ? undefined : readable(row, sorting)
  const shown = (kind, value, name) => el(kind, {dir: 'auto', style: columns.length ? fitted.get(name) : null,
    title: measured(value, name) && String(value)},
    isColour(value) && swatch(value),
    value === undefined ? '' : typeof value === 'boolean' ? tick(value) : shortForm(value, name))
  const missing = () => el('span.picture', {ariaHidden: true}, oneLine(row.title).trim().charAt(0).toUpperCase())
  return [
    image ? showImage(image, el('img', {alt: '', onerror: ({target}) => target.replaceWith(missing())}))
      : hasImages && missing(),
    texts(row, context),
    ...columns.map(name => shown(numeric.has(name) ? 'span.cell.number' : 'span.cell', readable(row, name), name)),
    value !== undefined && shown('span.value', value, sorting),
    row.error && el('span.mark-error', {title: row.error}, icon('warning')),
    ...(row.leaf ? [] : [el('span.count', {ariaLabel: plural(row.count, 'row')}, count(row.count)), icon('forward')]),
  ]
}

function texts(row, context) {
  const query = context.place.value('q'), hit = query && row.trail && hitField(row, query)
  const second = row.error ?? (row.trail?.length ? row.trail.join(' › ')
    : hit?.[0] === 'Subtitle' ? '' : secondLine(row, context)) ?? ''
  const title = row.title.trim() ? marked(oneLine(row.title.slice(0, 400)), query) : [row.control?.key ?? titleText('')]
  return el('span.texts',
    el('span.title', {dir: 'auto'}, ...title),
    (hit || second !== '') && el(row.error ? 'span.subtitle.error' : 'span.subtitle', {dir: 'auto'},
      ...(hit ? [hit[0] + ': ', ...marked(hit[1], query), second === '' ? '' : ' · '] : []), brief(second)))
}

// The value of a field; for a column that refers to another record, the title of that record.
const readable = ({fields, links}, name) => links?.[name]?.title ?? fields[name]

// The text below the title: the subtitle, or else the first short values of a row that is not drawn in columns.
function secondLine(row, {place, columns, record}) {
  const {fields, control} = row
  if (fields.Subtitle !== undefined || control || isSetting(row) || columns.length) return fields.Subtitle
  const elsewhere = ['Image', 'Value', ...place.sortFields]
  const values = Object.entries(fields).filter(([name, value]) =>
    !elsewhere.includes(name) && value !== '' && !['object', 'boolean'].includes(typeof value)
      && (row.links?.[name] ? readable(row, name) !== row.title && row.links[name].href !== record
        : String(value) !== row.key))
  return values.slice(0, 3).map(([name]) => shortForm(readable(row, name), name)).join(' · ')
}

// The field that contains the hit of a search, as [name, text around the hit]; null if the title or no field does.
function hitField({title, fields}, query) {
  const wanted = foldCase(query)
  if (foldCase(title).includes(wanted)) return null
  for (const [name, value] of Object.entries(fields)) {
    const text = [value].flat().find(each => typeof each === 'string' && foldCase(each).includes(wanted))
    if (text === undefined) continue
    const line = oneLine(text), at = foldCase(line).indexOf(wanted)
    return [name, (at > 30 ? '…' : '') + line.slice(at > 30 ? at - 20 : 0).slice(0, 200)]
  }
  return null
}

function disclosure(row, {onToggle}) {
  if (row.leaf) return el('span.disclosure')
  return el(row.expanded ? 'span.disclosure.open' : 'span.disclosure', {onclick: event => {
    stop(event)
    onToggle(row)
  }}, icon('forward'))
}

// Whether a row needs the height of two lines.
export const isTall = (row, {place, columns, record}) =>
  Boolean(row.error || row.trail?.length || row.fields.Image && !columns.length
  || (secondLine(row, {place, columns, record}) ?? '') !== '' && !columns.length || place.isSearch && place.value('in'))

// The names of the short values that the first rows share, if they make a table and are not drawn as a list.
export function sharedNames(rows) {
  if (rows.length < 2
    || rows.some(row => row.control || isSetting(row) || 'Subtitle' in row.fields || row.fields.Image)) return []
  const isShown = ({fields, key, links}, name) =>
    fields[name] !== undefined && (String(fields[name]) !== key || links?.[name])
  const names = [...new Set(rows.flatMap(({fields}) => Object.keys(fields)))]
    .filter(name => !name.includes(',') && rows.filter(row => isShown(row, name)).length >= rows.length * 0.8)
  return names.length < 3 ? [] : names
}

// Whether all values of a column are numbers.
export const isNumeric = (rows, name) => rows.every(({fields, links}) =>
  fields[name] === undefined || !links?.[name] && ['number', 'bigint'].includes(typeof fields[name]))

// MARK: The controls of a settings page, as fields of the browser.

const KEYBOARDS = {
  Numeric: 'numeric', NumberPad: 'numeric', NumbersAndPunctuation: 'decimal', EmailAddress: 'email', URL: 'url',
}

const enabled = holder => holder.querySelector(':is(input, select):enabled')

// Passes a click on a row to the control of the row. If editing is off, a message explains how to begin. If the
// document cannot be edited, the click follows the link of the row.
function press(event, holder, app) {
  const field = enabled(holder)
  if (!holder.querySelector('input, select') || !isPlainKey(event) || !(field || app.isEditable)) return
  stop(event)
  if (!field) return tell('The values are locked.', {label: 'Unlock to change', action: () => app.turnEditing()})
  field.focus()
  if (field.matches('[type=checkbox], [type=radio]')) field.click()
}

// Sends a value with the item's tag if the service asks for it. The item must be as the row shows it.
async function sendExactly(error, row, value) {
  if (error.status !== 428) throw error
  const {title, control, fieldsVersion} = await send('GET', row.href)
  if (title !== row.title || control?.value !== row.control.value) throw error
  return send('PATCH', row.href, {Value: value}, {ifMatch: fieldsVersion})
}

// Makes the control of a row. The control is disabled unless editing is on.
function control(row, {isEditing, app, refresh}) {
  const label = row.title || row.control.key || 'Value'
  const holder = el('span.control', {onclick: event => press(event, holder, app),
    onchange: () => storing.add(holder)})
  const draw = () => {
    const field = (MAKERS[row.control.type] ?? shownValue)(row.control, store, label)
    for (const each of [field, ...field.children]) each.disabled = !isEditing || !token.value
    const hadFocus = hasFocus(holder)
    holder.replaceChildren(field)
    if (hadFocus) enabled(holder)?.focus()
  }
  const store = async value => {
    try {
      const sent = send('PATCH', row.href, {Value: value}).catch(error => sendExactly(error, row, value))
      app.editor?.stored(row, value, sent)
      await sent
    } catch (error) {
      draw()
      refuse(error.status ? error.message : 'The value was not saved: the connection is lost.')
    }
    storing.delete(holder)
    // The control shows the chosen value, but the loaded row still has the old value. If another client restores the
    // old value, the row has the version that was drawn last, and would not be drawn again.
    const item = holder.closest('.item')
    if (!item) return
    states.delete(item)
    refresh()
  }
  draw()
  return holder
}

function toggle({value, trueValue = true, falseValue = false, type}, store, label) {
  const change = {onchange: ({target}) => store(target.checked ? trueValue : falseValue)}
  return toggleSwitch(label, value === trueValue,
    type === 'Checkbox' ? {...change, role: 'checkbox', class: ''} : change)
}

function slider({value, min = 0, max = 1}, store, ariaLabel) {
  const save = debounced(250, () => store(Number(range.value)))
  const output = el('output', brief(value ?? min))
  // The slider has a hundred steps, so that keys can move it, although the document allows any value.
  const range = el('input', {
    type: 'range', min, max, step: (max - min) / 100, value: value ?? min, ariaLabel,
    oninput: () => output.textContent = brief(Math.round(range.value * 1000) / 1000),
    onchange: save,
    onkeydown: event => event.stopPropagation(),
  })
  return el('span.slider', range, output)
}

function choice({value, options = []}, store, label) {
  const field = choiceField(label, options.map(({title}, index) => [index, title]),
    options.findIndex(option => option.value === value),
    () => store(options[field.value].value))
  return field
}

const radio = ({key, value, choice}, store, ariaLabel) =>
  el('input', {type: 'radio', name: key, ariaLabel, checked: value === choice, onchange: () => store(choice)})

const textField = ({value, secure, keyboard}, store, ariaLabel) => el('input', {
  type: secure ? 'password' : 'text', inputMode: KEYBOARDS[keyboard], ariaLabel, autocomplete: 'off', value,
  onchange: ({target}) => store(typeof value === 'number' && target.value.trim() ? Number(target.value) : target.value),
  onkeydown: event => {
    event.stopPropagation()
    if (event.key === 'Enter') event.target.onchange(event)
  },
})

const shownValue = ({value, options}) =>
  el('span.value', {dir: 'auto'}, brief(options?.find(option => option.value === value)?.title ?? value ?? ''))

const MAKERS = {ToggleSwitch: toggle, Checkbox: toggle, Slider: slider, MultiValue: choice, RadioGroup: radio,
  TextField: textField}
