// Text and values as the reader sees them.

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

export const isDate = value => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value)

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
