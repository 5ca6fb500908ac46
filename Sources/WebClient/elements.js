// Functions that make elements, and that format text and values.

import {isPath} from './drilldown.js'

// MARK: The path prefix of a proxy, or nothing. The modules are in the folder `/client/HASH` below it.

export const base = new URL('../..', import.meta.url).pathname.slice(0, -1)

// The address of a link with or without the prefix; the links of the service have the prefix.
export function addressOf(link) {
  if (!isPath(link)) throw new Error(`'${link}' is not a link of this service.`)
  return link.startsWith(base + '/') ? link : base + link
}

// MARK: Making elements. Text always becomes a text node: nothing from a document is ever parsed as HTML.

const SVG = 'http://www.w3.org/2000/svg'

// Makes an element; `name` is `tag.class`. An attribute that is also a property is set as a property, so that a
// function becomes a listener. Attributes are set after the children, because the value of a select needs the options.
// Null and undefined attributes are omitted.
export function el(name, attributes, ...children) {
  const [tag, ...classes] = name.split('.'), element = document.createElement(tag)
  if (classes.length) element.className = classes.join(' ')
  if (tag === 'button') element.type = tag
  if (attributes?.constructor !== Object) {
    children.unshift(attributes)
    attributes = {}
  }
  element.append(...children.filter(child => child != null && child !== false))
  for (const [name, value] of Object.entries(attributes)) {
    if (name in element && value != null) element[name] = value
    else if (value != null) element.setAttribute(name, value)
  }
  return element
}

export const on = (target, type, action, options) => target.addEventListener(type, action, options)

export const boxOf = element => element.getBoundingClientRect()

export const hasFocus = element => element.contains(document.activeElement)

export const within = (least, value, most) => Math.max(least, Math.min(value, most))

export function stop(event) {
  event.preventDefault()
  event.stopPropagation()
}

// Whether an event is outside of all input fields, and none of the keys Ctrl, Alt and Meta is pressed.
export const isPlainKey = event =>
  !(event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, select, textarea'))

export const isRightToLeft = element => getComputedStyle(element).direction === 'rtl'

// SVG paths in a square of 20 by 20, drawn with a stroke.
const ICONS = {
  forward: 'M8 5l5 5-5 5',
  back: 'M12 4l-6 6 6 6',
  down: 'M5 8l5 5 5-5',
  up: 'M5 12l5-5 5 5',
  search: 'M9 4a5 5 0 1 0 0 10a5 5 0 1 0 0-10M12.8 12.8L17 17',
  view: 'M3 6h14M5.5 10h9M8 14h4',
  more: 'M5 10h.01M10 10h.01M15 10h.01',
  info: 'M10 3a7 7 0 1 0 0 14a7 7 0 1 0 0-14M10 9v4.5M10 6.5h.01',
  add: 'M10 4v12M4 10h12',
  close: 'M5 5l10 10M15 5L5 15',
  cut: 'M6 4l7 9M14 4L7 13M5.5 13a2 2 0 1 0 .01 0M14.5 13a2 2 0 1 0 .01 0',
  edit: 'M4 16l1-4 8.5-8.5 3 3L8 15z',
  remove: 'M4 6h12M8 6V4h4v2M6 6l.7 10h6.6L14 6',
  move: 'M6 7h8M6 10h8M6 13h8',
  copy: 'M7 7h9v9H7zM13 7V4H4v9h3',
  undo: 'M4 8h8a4 4 0 0 1 0 8H8M4 8l4-4M4 8l4 4',
  redo: 'M16 8H8a4 4 0 0 0 0 8h4M16 8l-4-4M16 8l-4 4',
  open: 'M4 5h12M7 10h9M10 15h6',
  warning: 'M10 3l8 14H2zM10 8v4M10 14.5h.01',
}

export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg'), path = document.createElementNS(SVG, 'path')
  svg.setAttribute('viewBox', '0 0 20 20')
  svg.setAttribute('class', 'icon icon-' + name)
  svg.ariaHidden = 'true'
  path.setAttribute('d', ICONS[name])
  svg.append(path)
  return svg
}

export const iconButton = (name, label, onclick, attributes) =>
  el('button.tool', {ariaLabel: label, title: label, onclick, ...attributes}, icon(name))

export const toggleSwitch = (ariaLabel, checked, attributes) =>
  el('input.switch', {type: 'checkbox', role: 'switch', ariaLabel, checked, ...attributes})

// Makes a select with options. An option is [value, text], or [value] if the text is the same as the value.
export const choiceField = (ariaLabel, options, value, onchange) =>
  el('select', {ariaLabel, value, onchange}, ...options.map(([value, text]) => el('option', {value}, text ?? value)))

// Returns a function that runs `action`, never twice at the same time; a call meanwhile makes it run once more.
export function coalesced(action) {
  let running = null, again = false
  return function run() {
    if (running) {
      again = true
      return running
    }
    const repeat = async () => {
      do {
        again = false
        await action()
      } while (again)
    }
    return running = repeat().finally(() => running = null)
  }
}

export function debounced(milliseconds, action) {
  let timer
  const later = () => {
    clearTimeout(timer)
    timer = setTimeout(action, milliseconds)
  }
  later.cancel = () => clearTimeout(timer)
  return later
}

// Sets a tooltip with the whole text if the text under the pointer is cut off.
export function showWhole({target}) {
  const cut = target.closest?.('.title, .subtitle, .value, .cell, .section-header bdi, h2 bdi, .crumbs bdi')
  const box = cut?.closest('.crumbs a, .crumbs span') ?? cut
  if (cut) cut.title = box.scrollWidth > box.clientWidth ? cut.textContent : ''
}

// MARK: Formatting of text and values.

const NUMBER = new Intl.NumberFormat()
const DAY = new Intl.DateTimeFormat(undefined, {dateStyle: 'long', timeZone: 'UTC'})
const MOMENT = new Intl.DateTimeFormat(undefined, {dateStyle: 'long', timeStyle: 'medium', timeZone: 'UTC'})
const UNITS = ['bytes', 'KB', 'MB', 'GB']

// Replaces control characters with their pictures, and marks of text direction with their numbers: [U+202E].
export const visible = text => text
  .replace(/[\0-\x08\x0B-\x1F\x7F]/g, mark => mark < ' ' ? String.fromCharCode(0x2400 + mark.charCodeAt(0)) : '\u2421')
  .replace(/[\u202A-\u202E\u2066-\u2069]/g, mark => `[U+${mark.charCodeAt(0).toString(16).toUpperCase()}]`)

// Visible text on one line.
export const oneLine = text => visible(text).replace(/\s+/g, ' ')

export const foldCase = text => text.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase().toLowerCase()

// Divides a text into parts, with the hits of a search as `mark` elements. Case and accents are ignored.
export function marked(text, query) {
  const wanted = foldCase(query ?? ''), parts = [], places = []
  if (!wanted) return [text]
  let folded = '', from = 0
  for (let index = 0; index < text.length;) {
    const letter = String.fromCodePoint(text.codePointAt(index)), part = foldCase(letter)
    folded += part
    for (let each = 0; each < part.length; each++) places.push(index)
    index += letter.length
  }
  for (let start = 0, at; (at = folded.indexOf(wanted, start)) >= 0; start = at + wanted.length) {
    const end = places[at + wanted.length] ?? text.length
    parts.push(text.slice(from, places[at]), el('mark', text.slice(places[at], end)))
    from = end
  }
  return [...parts, text.slice(from)]
}

export const count = number => NUMBER.format(number)

export const plural = (number, noun) => `${count(number)} ${noun}${number === 1 ? '' : 's'}`

// The displayed names of the types of fields.
export const TYPES = {string: 'Text', integer: 'Whole number', real: 'Number', boolean: 'Yes or no', date: 'Date',
  data: 'Data', array: 'List', dictionary: 'Fields'}

export const isDate = value => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value)

export function date(text) {
  const moment = new Date(text)
  if (Number.isNaN(moment.getTime())) return text
  // Times are in UTC, as in the document and in the form for edits.
  return /T00:00:00(\.0+)?Z$/.test(text) ? DAY.format(moment) : MOMENT.format(moment) + ' UTC'
}

export function size(bytes) {
  let value = bytes, unit = 0
  while (value >= 1000 && unit < UNITS.length - 1) [value, unit] = [value / 1000, unit + 1]
  return `${new Intl.NumberFormat(undefined, {maximumFractionDigits: unit ? 1 : 0}).format(value)} ${UNITS[unit]}`
}

// A number of bytes, milliseconds or seconds, which the name of its field tells, in larger units; null for other
// numbers.
export function measured(value, name) {
  const number = Number(value), thousands = /(milliseconds|millis|msec)$/i.test(name)
  if (!Number.isFinite(number) || typeof value === 'boolean' || number < 0 || value === '') return null
  if (/(bytes|filesize)$/i.test(name) && number >= 1000) return size(number)
  if (!thousands && !/(seconds|duration)$/i.test(name)) return null
  const seconds = Math.round(thousands ? number / 1000 : number), two = part => String(part).padStart(2, '0')
  const hours = Math.floor(seconds / 3600), minutes = Math.floor(seconds / 60) % 60
  return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`
}

// The value of a field on one line, in larger units if it has any.
export const shortForm = (value, name) => measured(value, name) ?? brief(value)

export const tick = value => el('span', {role: 'img', ariaLabel: value ? 'Yes' : 'No'}, value ? '✓' : '–')

// Formats the value of a field as one line.
export function brief(value) {
  if (typeof value === 'boolean') return value ? '✓' : '–'
  // Digits are not grouped, because years and identifiers are numbers, too.
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (isDate(value)) return date(value)
  if (Array.isArray(value)) return plural(value.length, 'element')
  if (value && typeof value === 'object') return plural(Object.keys(value).length, 'field')
  return oneLine(String(value).slice(0, 300))
}

// Whether a row or a detail is part of a settings bundle, in which only values can be changed.
export const isSetting = ({control, fields}) =>
  /^PS/.test(fields?.Type) && Boolean(control) || fields?.Type === 'PSChildPaneSpecifier'

export const isColour = text => typeof text === 'string' && /^#[0-9a-f]{6}$/i.test(text)

export function swatch(colour) {
  const element = el('span.swatch')
  element.style.backgroundColor = colour
  return element
}

// What a column shows while it is being read for longer than a moment.
export const skeleton = () => el('div.skeleton', ...Array.from({length: 6}, () => el('i')),
  el('p', 'Not reachable, trying again…'))

export const backLink = place => place && el('a.back.tool', {href: place.address, ariaLabel: 'Back'}, icon('back'))

// The title of an item on one line; for an empty title, “Untitled”.
export const titleText = title => oneLine(title.slice(0, 400)).trim() ? oneLine(title.slice(0, 400))
  : el('i', 'Untitled')

// The address of an image in the document's `assets` folder; null for any other value, such as an address elsewhere, or
// a path with the segment `.` or `..`, which could lead out of the folder.
export function asset(name) {
  if (typeof name !== 'string' || name === '' || name.length > 1000 || /^[a-z]+:|^\/|(^|\/)\.\.?(\/|$)/i.test(name))
    return null
  return '/assets/' + name.split('/').map(encodeURIComponent).join('/')
}
