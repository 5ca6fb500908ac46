// A field's value by its type.

import {el} from './dom.js'
import {date, isColour, number, plural, size, visible} from './format.js'

// So much of a text is shown at first.
const FIRST_CHARACTERS = 20_000
const FIRST_BYTES = 256
const FIRST_ELEMENTS = 200
const IMAGES = [['image/png', '\x89PNG'], ['image/jpeg', '\xFF\xD8\xFF'], ['image/gif', 'GIF8'], ['image/webp', 'RIFF']]
const LINK = /\b(?:https?:\/\/|mailto:)[^\s<>"'`{}|\\^]+/gi

// `open` holds the paths of the folded parts that the reader has opened.
export function fieldValue({type, value}, path, open) {
  switch (type) {
    case 'boolean': return el('span', null, value ? 'Yes' : 'No')
    case 'integer':
    case 'real': return el('span', {class: 'number'}, number(value))
    case 'date': return el('time', {datetime: value}, date(value))
    case 'data': return data(value, path, open)
    case 'array':
      return folded(plural(value.length, 'element', 'elements'), path, open, () =>
        el('ol', {class: 'elements', start: '0'}, ...value.slice(0, FIRST_ELEMENTS).map((each, place) =>
          el('li', null, fieldValue(each, `${path}/${place}`, open))), more(value)))
    case 'dictionary':
      return folded(plural(value.length, 'field', 'fields'), path, open, () =>
        el('dl', {class: 'fields nested'}, ...value.slice(0, FIRST_ELEMENTS).map(([name, each]) =>
          el('div', {class: 'field'}, el('dt', {dir: 'auto'}, name), el('dd', null, fieldValue(each, `${path}/${name}`, open)))),
        more(value)))
    default: return text(value)
  }
}

const more = list => list.length > FIRST_ELEMENTS ? el('li', {class: 'rest'}, `and ${list.length - FIRST_ELEMENTS} more`) : null

function text(value) {
  const holder = el('span', {class: 'text', dir: 'auto'})
  holder.append(...linked(visible(value.slice(0, FIRST_CHARACTERS))))
  if (isColour(value)) {
    const swatch = el('span', {class: 'swatch'})
    swatch.style.backgroundColor = value
    holder.prepend(swatch)
  }
  if (value.length <= FIRST_CHARACTERS) return holder
  const rest = el('button', {type: 'button', class: 'plain', onclick: () => {
    rest.remove()
    holder.append(visible(value.slice(FIRST_CHARACTERS)))
  }}, `Show all ${plural(value.length, 'character', 'characters')}`)
  return el('span', null, holder, rest)
}

// The text with what is plainly the address of a web page or of a mailbox as links; nothing else becomes one.
function* linked(value) {
  let end = 0
  for (const match of value.matchAll(LINK)) {
    const address = match[0].replace(/[.,;:!?)\]]+$/, '')
    if (!URL.canParse(address)) continue
    yield value.slice(end, match.index)
    yield el('a', {href: address, rel: 'noopener noreferrer', target: '_blank'}, address)
    end = match.index + address.length
  }
  yield value.slice(end)
}

function folded(summary, path, open, content) {
  const element = el('details', null, el('summary', null, summary))
  const fill = () => element.children.length === 1 && element.append(content())
  element.open = open.has(path)
  if (element.open) fill()
  element.addEventListener('toggle', () => {
    if (element.open) fill()
    open[element.open ? 'add' : 'delete'](path)
  })
  return element
}

function data(base64, path, open) {
  const length = Math.floor(base64.length * 3 / 4) - (/=*$/.exec(base64)[0].length)
  return folded(`Data, ${size(length)}`, path, open, () => {
    const type = IMAGES.find(([, magic]) => atob(base64.slice(0, 16)).startsWith(magic))?.[0]
    const start = atob(base64.slice(0, Math.ceil(FIRST_BYTES / 3) * 4)).slice(0, FIRST_BYTES)
    return el('div', {class: 'data'}, type && picture(base64, type), el('pre', {tabindex: '0'}, dump(start)),
      length > FIRST_BYTES && el('p', null, `the first ${FIRST_BYTES} bytes`))
  })
}

function picture(base64, type) {
  const bytes = Uint8Array.from(atob(base64), each => each.charCodeAt(0))
  const source = URL.createObjectURL(new Blob([bytes], {type}))
  return el('img', {src: source, alt: 'The data as an image', onload: () => URL.revokeObjectURL(source)})
}

// Eight bytes a line: offset, hexadecimal digits, and the characters of ASCII.
function dump(bytes) {
  const lines = []
  for (let offset = 0; offset < bytes.length; offset += 8) {
    const part = [...bytes.slice(offset, offset + 8)]
    const digits = part.map(each => each.charCodeAt(0).toString(16).padStart(2, '0')).join(' ')
    const characters = part.map(each => (/[ -~]/.test(each) ? each : '·')).join('')
    lines.push(`${offset.toString(16).padStart(4, '0')}  ${digits.padEnd(23)}  ${characters}`)
  }
  return lines.join('\n')
}
