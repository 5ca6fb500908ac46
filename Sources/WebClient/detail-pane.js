// Columns that show the fields of one item, or why there is none.

import {asset, coalesced, date, el, icon, iconButton, isColour, number, on, oneLine, plural, size, visible} from './elements.js'
import {openMoreMenu} from './menus.js'
import {Place} from './place.js'
import {concerns, getJSON, request} from './service.js'

// MARK: A column that shows the fields of one item.

export class DetailPane {
  kind = 'detail'
  #controller = new AbortController()
  #open = new Set()

  // `home`: the place whose address shows this detail, if it is not the item's own.
  constructor(app, place, {home} = {}) {
    this.app = app
    this.place = place
    this.home = home ?? null
    this.heading = el('h2', {tabindex: '-1'}, el('bdi', place.name || ' '))
    this.tools = el('div.tools')
    this.moreButton = iconButton('more', 'More', () => openMoreMenu(this, this.moreButton))
    this.moreButton.setAttribute('aria-haspopup', 'dialog')
    this.previous = el('a.tool', {role: 'link', 'aria-label': 'Previous'}, icon('up'))
    this.next = el('a.tool', {role: 'link', 'aria-label': 'Next'}, icon('down'))
    this.tools.append(this.previous, this.next, this.moreButton)
    const back = home ?? place.parent
    this.body = el('div.detail-body', {tabindex: '-1'})
    this.element = el('section.pane.detail', {'aria-label': place.name},
      el('header.pane-head', el('div.head-line',
        back && el('a.back.tool', {href: back.showing(null).address, 'aria-label': 'Back'}, icon('back')),
        this.heading, this.tools)),
      this.body)
    on(this.element, 'keydown', event => this.#key(event))
  }

  get title() {
    return this.detail?.title ?? this.place.name
  }

  get target() {
    return this.place.detail
  }

  async open() {
    await this.#read()
    this.draw()
    return this
  }

  async #read() {
    const {signal} = this.#controller
    this.detail = await readDetail(this.place, signal)
  }

  draw() {
    const {detail} = this
    this.element.setAttribute('aria-label', `${this.title || 'Untitled'}, detail`)
    this.heading.firstChild.textContent = oneLine(this.title.slice(0, 300)) || ' '
    this.#point(this.previous, detail.previous)
    this.#point(this.next, detail.next)
    if (this.app.editor?.drawDetail(this)) return
    const scrolled = this.body.scrollTop
    this.body.replaceChildren(...this.#content())
    this.body.scrollTop = scrolled
    this.body.tabIndex = this.body.scrollHeight > this.body.clientHeight ? 0 : -1
  }

  #content() {
    const image = this.detail.fields.find(([name]) => name === 'Image')?.[1]
    const source = image?.type === 'string' && asset(image.value)
    const picture = source && el('img.hero', {src: source, alt: ''})
    if (picture) on(picture, 'error', () => picture.remove(), {once: true})
    const fields = this.detail.fields.filter(([name]) => name !== 'Title')
    const list = el('dl.fields', ...fields.map(([name, value]) => el('div', {class: 'field type-' + value.type},
      el('dt', {dir: 'auto'}, oneLine(name)), el('dd', fieldValue(value, name, this.#open)))))
    return [picture, fields.length ? list : el('p.empty', 'No other fields.')].filter(Boolean)
  }

  #point(link, neighbour) {
    if (!neighbour) {
      link.removeAttribute('href')
      link.setAttribute('aria-disabled', 'true')
      return
    }
    const place = Place.ofLink(neighbour.href)
    link.href = (this.home ? this.home.showing(place) : place).address
    link.dataset.item = neighbour.href
    link.title = oneLine(neighbour.title.slice(0, 200))
    link.removeAttribute('aria-disabled')
  }

  #key(event) {
    if (event.target.closest('input, textarea, select') || event.ctrlKey || event.metaKey || event.altKey) return
    const link = {ArrowUp: this.previous, ArrowDown: this.next}[event.key]
    if (event.key === 'Escape' || event.key === 'ArrowLeft') {
      event.preventDefault()
      this.app.goUp(this)
    } else if (link?.href && this.body.scrollHeight <= this.body.clientHeight) {
      event.preventDefault()
      this.app.go(Place.of(link), {replace: true, focus: 'detail'})
    }
  }

  concernedBy(entry) {
    if (entry.truncated) return true
    const parent = this.place.parent
    return entry.details.includes(this.place.detail) || entry.levels.includes(this.place.level)
      || Boolean(parent && concerns(entry, parent.segments.length ? parent.level : '/levels/'))
  }

  refresh = coalesced(async () => {
    const before = this.detail
    try {
      await this.#read()
    } catch (error) {
      if (error.status === 404) this.app.lost(this)
      return
    }
    if (before?.version !== this.detail.version) this.draw()
    if (before?.leaf && !this.detail.leaf) this.app.turned(this)
  })

  redrawAll() {
    if (this.detail) this.draw()
  }

  end() {
    this.#controller.abort()
    this.element.remove()
  }
}

// The detail of an item with the exact types of its fields; of JSON's types if XML cannot carry them.
export async function readDetail(place, signal) {
  try {
    const answer = await request(place.detail, {signal, headers: {Accept: 'application/x-plist'}})
    const members = parse(await answer.text()).value
    const fields = members.find(([name]) => name === 'fields')[1].value
    return {...plain({type: 'dictionary', value: members.filter(([name]) => name !== 'fields')}), fields}
  } catch (error) {
    if (error.status !== 406) throw error
    const answer = await (await request(place.detail, {signal})).json()
    return {...answer, fields: fromJSON(answer.fields).value}
  }
}

// MARK: A field's value by its type.

// So much of a text is shown at first.
const FIRST_CHARACTERS = 20_000
const FIRST_BYTES = 256
const FIRST_ELEMENTS = 200
const IMAGES = [['image/png', '\x89PNG'], ['image/jpeg', '\xFF\xD8\xFF'], ['image/gif', 'GIF8'], ['image/webp', 'RIFF']]
const LINK = /\b(?:https?:\/\/|mailto:)[^\s<>"'`{}|\\^]+/gi

// `open` holds the paths of the folded parts that the reader has opened.
function fieldValue({type, value}, path, open) {
  switch (type) {
    case 'boolean': return el('span', value ? 'Yes' : 'No')
    case 'integer':
    case 'real': return el('span.number', number(value))
    case 'date': return el('time', {datetime: value}, date(value))
    case 'data': return data(value, path, open)
    case 'array':
      return folded(plural(value.length, 'element', 'elements'), path, open, () =>
        el('ol.elements', {start: '0'}, ...value.slice(0, FIRST_ELEMENTS).map((each, place) =>
          el('li', fieldValue(each, `${path}/${place}`, open))), more(value)))
    case 'dictionary':
      return folded(plural(value.length, 'field', 'fields'), path, open, () =>
        el('dl.fields.nested', ...value.slice(0, FIRST_ELEMENTS).map(([name, each]) =>
          el('div.field', el('dt', {dir: 'auto'}, name), el('dd', fieldValue(each, `${path}/${name}`, open)))),
        more(value)))
    default: return text(value)
  }
}

const more = list => list.length > FIRST_ELEMENTS ? el('li.rest', `and ${list.length - FIRST_ELEMENTS} more`) : null

function text(value) {
  const holder = el('span.text', {dir: 'auto'})
  holder.append(...linked(visible(value.slice(0, FIRST_CHARACTERS))))
  if (isColour(value)) {
    const swatch = el('span.swatch')
    swatch.style.backgroundColor = value
    holder.prepend(swatch)
  }
  if (value.length <= FIRST_CHARACTERS) return holder
  const rest = el('button.plain', {onclick: () => {
    rest.remove()
    holder.append(visible(value.slice(FIRST_CHARACTERS)))
  }}, `Show all ${plural(value.length, 'character', 'characters')}`)
  return el('span', holder, rest)
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
  const element = el('details', el('summary', summary))
  const fill = () => element.children.length === 1 && element.append(content())
  element.open = open.has(path)
  if (element.open) fill()
  on(element, 'toggle', () => {
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
    return el('div.data', type && picture(base64, type), el('pre', {tabindex: '0'}, dump(start)),
      length > FIRST_BYTES && el('p', `the first ${FIRST_BYTES} bytes`))
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

// MARK: Property lists: their values with their exact types, which JSON does not tell apart.

// A value is {type, value}: string, integer and real (as text), boolean, date, data (base64), array ([value]),
// dictionary ([[name, value]]).

const policy = globalThis.trustedTypes?.createPolicy('plist', {createHTML: text => text})

export function parse(text) {
  const xml = new DOMParser().parseFromString(policy ? policy.createHTML(text) : text, 'application/xml')
  const root = xml.documentElement
  if (root.nodeName !== 'plist' || !root.firstElementChild) throw new Error('The answer is not a property list.')
  return readValue(root.firstElementChild)
}

function readValue(element) {
  switch (element.nodeName) {
    case 'true': return {type: 'boolean', value: true}
    case 'false': return {type: 'boolean', value: false}
    case 'array': return {type: 'array', value: [...element.children].map(readValue)}
    case 'dict': return {type: 'dictionary', value: entries(element)}
    case 'data': return {type: 'data', value: element.textContent.replace(/\s/g, '')}
    default: return {type: element.nodeName, value: element.textContent}
  }
}

function entries(element) {
  const children = [...element.children]
  const result = []
  for (let index = 0; index + 1 < children.length; index += 2) {
    result.push([children[index].textContent, readValue(children[index + 1])])
  }
  return result
}

// A dictionary as a plain object; values that are no text become numbers, booleans and arrays.
export function plain({type, value}) {
  switch (type) {
    case 'integer':
    case 'real': return Number(value)
    case 'array': return value.map(plain)
    case 'dictionary': return Object.fromEntries(value.map(([name, each]) => [name, plain(each)]))
    default: return value
  }
}

// What JSON tells of the types, for documents that XML cannot carry.
export function fromJSON(value) {
  if (typeof value === 'boolean') return {type: 'boolean', value}
  if (typeof value === 'number') return {type: Number.isInteger(value) ? 'integer' : 'real', value: String(value)}
  if (Array.isArray(value)) return {type: 'array', value: value.map(fromJSON)}
  if (value && typeof value === 'object') {
    return {type: 'dictionary', value: Object.entries(value).map(([name, each]) => [name, fromJSON(each)])}
  }
  return {type: 'string', value: String(value)}
}

// A value as XML, to be sent with its exact type.
export function xml({type, value}) {
  switch (type) {
    case 'boolean': return value ? '<true/>' : '<false/>'
    case 'array': return `<array>${value.map(xml).join('')}</array>`
    case 'dictionary':
      return `<dict>${value.map(([name, each]) => `<key>${escaped(name)}</key>${xml(each)}`).join('')}</dict>`
    default: return `<${type}>${escaped(value)}</${type}>`
  }
}

export const plist = content => `<?xml version="1.0" encoding="UTF-8"?><plist version="1.0">${content}</plist>`

const escaped = text => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/\r/g, '&#13;')

// MARK: What is shown where there is nothing: the reason, and the way to what is there.

export class MissingPane {
  kind = 'missing'

  constructor(app, place, problem) {
    this.app = app
    this.place = place
    const near = problem.body.nearest ?? (problem.body.parameter ? place.level : '/levels/')
    this.heading = el('h2', {tabindex: '-1'}, problem.body.title ?? 'Not found')
    this.element = el('section.pane.missing', {'aria-label': 'Not found'},
      el('div.apology', this.heading, el('p', {dir: 'auto'}, problem.message),
        el('p', el('a', {href: Place.ofLink(near).address}, 'Go to what is there'))))
  }

  get title() {
    return this.heading.textContent
  }

  concernedBy() {
    return true
  }

  // What is missing may come back.
  refresh = coalesced(async () => {
    try {
      await getJSON(`${this.place.level}?${this.place.levelQuery}`)
    } catch (error) {
      if (error.status) return
      throw error
    }
    this.app.turned(this)
  })

  redrawAll() {}

  end() {
    this.element.remove()
  }
}
