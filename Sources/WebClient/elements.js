// Making elements, and text and values as the reader sees them.

// MARK: Making elements. Text always becomes a text node: nothing from a document is ever parsed as HTML.

const SVG = 'http://www.w3.org/2000/svg'

// Makes an element, `tag.class`. `on…` functions listen; `true` sets an empty attribute; null, undefined and false set none.
export function el(name, attributes, ...children) {
  const [tag, ...classes] = name.split('.'), element = document.createElement(tag)
  if (classes.length) element.className = classes.join(' ')
  if (tag === 'button') element.type = tag
  if (attributes?.constructor !== Object) {
    children.unshift(attributes)
    attributes = {}
  }
  for (const [name, value] of Object.entries(attributes)) {
    if (value == null || value === false) continue
    if (name.startsWith('on')) on(element, name.slice(2), value)
    else element.setAttribute(name, value === true ? '' : value)
  }
  element.append(...children.filter(child => child != null && child !== false))
  return element
}

export const on = (target, type, action, options) => target.addEventListener(type, action, options)

export const boxOf = element => element.getBoundingClientRect()

export function stop(event) {
  event.preventDefault()
  event.stopPropagation()
}

// Paths of 20 by 20, drawn with a stroke.
const ICONS = {
  forward: 'M8 5l5 5-5 5',
  back: 'M12 4l-6 6 6 6',
  down: 'M5 8l5 5 5-5',
  up: 'M5 12l5-5 5 5',
  search: 'M9 4a5 5 0 1 0 0 10a5 5 0 1 0 0-10M12.8 12.8L17 17',
  view: 'M3 6h14M5.5 10h9M8 14h4',
  more: 'M5 10h.01M10 10h.01M15 10h.01',
  info: 'M10 3a7 7 0 1 0 0 14a7 7 0 1 0 0-14M10 9v4.5M10 6.5h.01',
  outline: 'M4 5h5M8 10h8M8 15h8M4 5v10h4M4 10h4',
  add: 'M10 4v12M4 10h12',
  close: 'M5 5l10 10M15 5L5 15',
  cut: 'M6 4l7 9M14 4L7 13M5.500 13a2 2 0 1 0 .01 0M14.500 13a2 2 0 1 0 .01 0',
  edit: 'M4 16l1-4 8.500-8.500 3 3L8 15z',
  remove: 'M4 6h12M8 6V4h4v2M6 6l.7 10h6.600L14 6',
  move: 'M6 7h8M6 10h8M6 13h8',
}

export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('viewBox', '0 0 20 20')
  svg.setAttribute('class', 'icon icon-' + name)
  svg.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS(SVG, 'path')
  path.setAttribute('d', ICONS[name])
  svg.append(path)
  return svg
}

export function iconButton(name, label, onclick, attributes) {
  return el('button.tool', {'aria-label': label, title: label, onclick, ...attributes}, icon(name))
}

// Runs at most once at a time; a call while it runs makes it run once more afterwards.
export function coalesced(action) {
  let running = null, again = false
  return function run() {
    if (running) {
      again = true
      return running
    }
    running = (async () => {
      try {
        do {
          again = false
          await action()
        } while (again)
      } finally {
        running = null
      }
    })()
    return running
  }
}

export function debounced(milliseconds, action) {
  let timer
  const later = (...values) => {
    clearTimeout(timer)
    timer = setTimeout(() => action(...values), milliseconds)
  }
  later.cancel = () => clearTimeout(timer)
  return later
}

export const wantsLessMotion = () => matchMedia('(prefers-reduced-motion: reduce)').matches

// MARK: Text and values as the reader sees them.

const NUMBER = new Intl.NumberFormat()
const DAY = new Intl.DateTimeFormat(undefined, {dateStyle: 'long', timeZone: 'UTC'})
const MOMENT = new Intl.DateTimeFormat(undefined, {dateStyle: 'long', timeStyle: 'medium'})
const UNITS = ['bytes', 'KB', 'MB', 'GB']

// Control characters as their pictures; line ends and tabs stay.
export function visible(text) {
  return text.replace(/[\u0000-\u0008\u000B-\u001F]/g, mark => String.fromCharCode(0x2400 + mark.charCodeAt(0)))
    .replace(/\u007F/g, '\u2421')
}

// Such text on one line.
export const oneLine = text => visible(text).replace(/\s+/g, ' ')

export const count = number => NUMBER.format(number)

export function plural(number, one, many) {
  return `${count(number)} ${number === 1 ? one : many}`
}

// A number as the document has it: every digit of a 64-bit integer, and of a real.
export function number(text) {
  if (/^-?\d+$/.test(text)) return NUMBER.format(BigInt(text))
  const value = Number(text)
  return Number.isFinite(value) ? new Intl.NumberFormat(undefined, {maximumFractionDigits: 20}).format(value) : text
}

const isDate = value => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value)

export function date(text) {
  const moment = new Date(text)
  if (Number.isNaN(moment.getTime())) return text
  return /T00:00:00(\.0+)?Z$/.test(text) ? DAY.format(moment) : MOMENT.format(moment)
}

export function size(bytes) {
  let value = bytes, unit = 0
  while (value >= 1000 && unit < UNITS.length - 1) [value, unit] = [value / 1000, unit + 1]
  return `${new Intl.NumberFormat(undefined, {maximumFractionDigits: unit ? 1 : 0}).format(value)} ${UNITS[unit]}`
}

// A field of a row on one line.
export function brief(value) {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'number') return NUMBER.format(value)
  if (isDate(value)) return date(value)
  if (Array.isArray(value)) return plural(value.length, 'element', 'elements')
  if (value && typeof value === 'object') return plural(Object.keys(value).length, 'field', 'fields')
  return oneLine(String(value).slice(0, 300))
}

export const isColour = text => typeof text === 'string' && /^#[0-9a-f]{6}$/i.test(text)

// The address of an image of the document: only files of its own `assets` folder are shown.
export function asset(name) {
  if (typeof name !== 'string' || name === '' || name.length > 1000 || /^[a-z]+:|^\//i.test(name)) return null
  return '/assets/' + name.split('/').map(encodeURIComponent).join('/')
}
