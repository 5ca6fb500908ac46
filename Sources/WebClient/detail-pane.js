// The column with the fields of an item, the panel beside a level, and the column for a missing item.

import {widthEdge} from './columns.js'
import {asset, backLink, base, coalesced, date, el, icon, iconButton, isColour, isDate, isPlainKey, measured,
  isRightToLeft, oneLine, plural, size, skeleton, swatch, tick, titleText, TYPES, visible} from './elements.js'
import {itemPath, Place} from './place.js'
import {bytesIn, readDetail} from './plist.js'
import {getJSON, isReadingClosed, live, showImage, token} from './service.js'

export class DetailPane {
  #controller = new AbortController()
  #open = new Set()

  heading = el('h2', {tabIndex: -1}, el('bdi'), el('small'))
  previous = el('a.tool', {role: 'link', ariaLabel: 'Previous'}, icon('up'))
  next = el('a.tool', {role: 'link', ariaLabel: 'Next'}, icon('down'))
  #editButton = el('button.plain', {onclick: () => this.app.turnEditing()})
  body = el('div.detail-body')
  // The tools for editing, below the head.
  tools = el('div')
  /** @type {import('./edit-form.js').EditForm | undefined} Undefined until editing begins. */
  form
  isRead = false

  // `home`: the place whose address shows this detail; undefined if it is the item's own. `known`: the row that leads
  // here. `before`: the column whose content is shown until this one is read.
  constructor(app, place, {home = undefined, known = undefined, before = undefined} = {}) {
    this.known = known
    this.app = app
    this.place = place
    this.home = home
    const more = iconButton('more', 'More', async () => (await import('./menus.js')).openMoreMenu(this, more),
      {ariaHasPopup: 'dialog'})
    this.element = el('section.pane.detail', {onkeydown: event => this.#key(event)},
      el('header.pane-head', el('div.head-line', backLink(home?.showing(null) ?? app.above(place)), this.previous,
        this.next,
        el('div.tools', this.#editButton, more)), this.heading, this.tools),
      this.body, widthEdge(this))
    this.body.append(...before?.isRead ? before.body.childNodes : [], skeleton())
    this.body.inert = true
    this.draw()
  }

  get title() { return this.app.titled(this.place, this.detail?.title ?? this.known?.title) }
  get target() { return this.place.detail }
  shows({part, place}) { return part === 'detail' && place.path === this.place.path }
  adjust({place, home}) { Object.assign(this, {place, home}) }

  async open() {
    this.detail = await readDetail(this.place, this.#controller.signal)
    if (!this.place.parent) this.#showFacts()
  }

  shown() {
    this.body.inert = false
    this.draw()
  }

  draw() {
    const {app, detail} = this, [title, small] = this.heading.children,
      {count, leaf} = detail ?? this.known ?? {leaf: true}
    this.element.ariaLabel = `${this.title || 'Untitled'}, detail`
    title.replaceChildren(oneLine(this.title).trim() ? oneLine(this.title) : titleText(''))
    small.textContent = leaf || detail?.canonical ? '' : plural(count, 'row')
    this.#editButton.hidden = !app.isEditable
    this.#editButton.textContent = app.isEditing ? 'Done' : 'Edit'
    this.#point(this.previous, detail?.previous)
    this.#point(this.next, detail?.next)
    this.previous.hidden = this.next.hidden = Boolean(detail) && !detail.previous && !detail.next
    if (!this.isRead || this.app.editor?.drawDetail(this)) return
    this.body.replaceChildren(...this.#content())
    requestAnimationFrame(() => this.body.tabIndex = this.#isCut ? 0 : -1)
  }

  // Whether only a part of the fields can be seen.
  get #isCut() { return this.body.scrollHeight > this.body.clientHeight }

  #content() {
    const {fields: all, leaf, error, links} = this.detail
    const image = all.find(([name]) => name === 'Image')?.[1]
    const source = image?.type === 'string' && image.value !== this.#missingImage && asset(image.value)
    const fields = all.filter(([name]) => name !== 'Title' && !(source && name === 'Image'))
    // A list or data that is alone is unfolded.
    if (fields.length === 1) this.#open.add('/' + fields[0][0])
    return [
      source && picture(source, () => {
        this.#missingImage = image.value
        this.draw()
      }),
      error && el('p.error', error),
      fields.length ? fieldList(fields, '', this.#open, links) : leaf && el('p.empty', 'No other fields.'),
      this.#facts,
    ].filter(Boolean)
  }

  // The image that cannot be read, which is shown as a field.
  #missingImage = null

  // The facts about the document, below the fields of the root.
  #facts = null

  async #showFacts() {
    // Without a connection, the facts stay as they are.
    const facts = await documentFacts(this.app).catch(() => null)
    if (!facts) return
    this.#facts ??= el('section.facts')
    this.#facts.replaceChildren(el('h3', 'Document'), facts)
    if (!this.#facts.isConnected && !this.app.isEditing) this.body.append(this.#facts)
  }

  #point(link, neighbour) {
    link.ariaDisabled = neighbour ? null : 'true'
    if (!neighbour) return link.removeAttribute('href')
    const place = this.place.toLink(neighbour.href)
    link.href = (this.home?.showing(place) ?? place).address
    link.title = oneLine(neighbour.title.slice(0, 200)).trim() || 'Untitled'
  }

  #key(event) {
    if (!isPlainKey(event)) return
    const link = {ArrowUp: this.previous, ArrowDown: this.next}[event.key]
    if (event.key === 'Escape' || event.key === (isRightToLeft(this.element) ? 'ArrowRight' : 'ArrowLeft')) {
      event.preventDefault()
      if (event.key === 'Escape') this.app.goUp()
      else this.app.goOut(this)
    } else if (link?.href && !this.#isCut) {
      event.preventDefault()
      this.app.go(Place.of(link), {replace: true, focus: 'detail'})
    }
  }

  // An entry about a change of the item's position or neighbours names the level above the item.
  concernedBy(entry) {
    if (entry.truncated || !this.place.parent) return true
    const {path, parent} = this.place,
      [levels, details] = [entry.levels, entry.details].map(links => links.map(itemPath))
    return details.includes(path) || levels.includes(path) || parent && levels.includes(parent.path)
  }

  refresh = coalesced(async () => {
    const {detail: before, place} = this
    try {
      this.detail = await readDetail(this.place, this.#controller.signal)
    } catch (error) {
      if (error.status !== 404) return
      // The item got another path during the request: read the item at the new path.
      if (this.place.path !== place.path) return void this.refresh()
      this.detail = null
      if (!this.app.editor?.drawDetail(this)) this.app.lost(this)
      return
    }
    if (!this.place.parent) this.#showFacts()
    if (!before) return this.draw()
    // A form that was saved shows its own fields until they are read. An undo brings the version before back.
    const isOther = this.form && this.form.original?.fieldsVersion !== this.detail.fieldsVersion
    if (before.version !== this.detail.version || isOther) this.draw()
    this.app.showPath()
    if (before.leaf && !this.detail.leaf) this.app.turned(this)
  })

  redrawAll() { this.draw() }

  // Unfolds the folded parts for printing, and folds them again afterwards.
  print(isPrinting) {
    for (let each; isPrinting && (each = this.body.querySelector('details:not([open])'));) {
      each.open = true
      each.ontoggle()
      this.#unfolded.push(each)
    }
    if (!isPrinting) for (const each of this.#unfolded.splice(0)) each.open = false
  }

  #unfolded = []

  end() {
    this.#controller.abort()
    this.element.remove()
  }
}

// The picture of an item; a click shows it as large as the window allows.
function picture(source, onerror) {
  const enlarge = () => {
    const dialog = el('dialog.enlarged',
      {ariaLabel: 'Picture', onclick: () => dialog.close(), onclose: () => dialog.remove()},
      showImage(source, el('img', {alt: ''})), iconButton('close', 'Close'))
    document.body.append(dialog)
    dialog.showModal()
  }
  return el('button.picture-button', {ariaLabel: 'Enlarge the picture', onclick: enlarge},
    showImage(source, el('img.hero', {alt: '', onerror})))
}

// MARK: A field's value by its type.

// The lengths to which long values are cut at first.
const FIRST_CHARACTERS = 20_000
const FIRST_BYTES = 256
const FIRST_ELEMENTS = 200
const IMAGES = [['image/png', '\x89PNG'], ['image/jpeg', '\xFF\xD8\xFF'], ['image/gif', 'GIF8'], ['image/webp', 'RIFF']]
const LINK = /\b(?:https?:\/\/|mailto:)[^\s<>"'`{}|\\^]+/gi

// `open` holds the paths of the folded parts that the user has opened. `name`: the name of the field, if it has one.
function fieldValue({type, value}, path, open, name = '') {
  switch (type) {
    case 'boolean': return tick(value)
    case 'integer':
    case 'real': return el('span.number', measured(value, name) ?? value)
    case 'date': return el('time', {dateTime: value}, date(value))
    case 'data': return data(value, path, open)
    case 'array':
      return folded(plural(value.length, 'element'), path, open, () =>
        el('div', el('ol.elements', {start: 0}, ...value.slice(0, FIRST_ELEMENTS).map((each, place) =>
          el('li', fieldValue(each, `${path}/${place}`, open)))), more(value)))
    case 'dictionary':
      return folded(plural(value.length, 'field'), path, open, () =>
        el('div.nested', fieldList(value.slice(0, FIRST_ELEMENTS), path, open), more(value)))
    default: return text(value)
  }
}

// `links`: the records that a record refers to, by the names of its columns; several columns are joined by commas.
const fieldList = (fields, path, open, links = {}) => el('dl.fields', ...fields.map(([name, value]) =>
  line(name, {title: hint(value, name)}, links[name] && recordLink(links[name]),
    fieldValue(value, `${path}/${name}`, open, name))),
...Object.keys(links).filter(name => fields.every(([own]) => own !== name)).map(name =>
  line(name, {}, recordLink(links[name]))))

const line = (name, attributes, ...value) =>
  el('div.field', el('dt', {dir: 'auto'}, oneLine(name) || el('i', 'Untitled')),
  el('dd', attributes, ...value))

const recordLink = ({title, href}) => el('a.record', {href: Place.ofLink(href).address, dir: 'auto'}, oneLine(title))

// The type of a value, and the value itself if another form of it is shown.
function hint({type, value}, name) {
  if (['array', 'dictionary', 'data'].includes(type)) return TYPES[type]
  const isFormatted = type === 'date' || isDate(value) || measured(value, name) !== null
  return isFormatted ? `${TYPES[type]}: ${value}` : TYPES[type]
}

const more = ({length}) => length > FIRST_ELEMENTS && el('p', `and ${length - FIRST_ELEMENTS} more`)

function text(value) {
  if (isDate(value)) return el('time', {dateTime: value}, date(value))
  const holder = el('span.text', {dir: 'auto'}, isColour(value) && swatch(value),
    ...linked(visible(value.slice(0, FIRST_CHARACTERS))))
  if (value.length <= FIRST_CHARACTERS) return holder
  const rest = el('button.plain', {onclick: () => {
    rest.remove()
    holder.append(visible(value.slice(FIRST_CHARACTERS)))
  }}, `Show all ${plural(value.length, 'character')}`)
  return el('span', holder, rest)
}

// Yields the parts of a text, with the addresses of web pages and mailboxes as links.
function* linked(value) {
  let end = 0
  for (const match of value.matchAll(LINK)) {
    const address = match[0].replace(/[.,;:!?)\]]+$/, '')
    // @ts-ignore TypeScript 4.8 does not know `canParse`.
    if (!URL.canParse(address)) continue
    yield value.slice(end, match.index)
    yield el('a', {href: address, rel: 'noopener noreferrer', target: '_blank'}, address)
    end = match.index + address.length
  }
  yield value.slice(end)
}

function folded(summary, path, open, content) {
  const toggled = () => {
    if (element.open && element.children.length === 1) element.append(content())
    open[element.open ? 'add' : 'delete'](path)
  }
  const element = el('details', {open: open.has(path), ontoggle: toggled}, el('summary', summary))
  // The content is made immediately, not only at the browser's event, so that the page below does not jump.
  toggled()
  return element
}

function data(base64, path, open) {
  const length = bytesIn(base64)
  return folded(`Data, ${size(length)}`, path, open, () => {
    const start = atob(base64.slice(0, Math.ceil(FIRST_BYTES / 3) * 4)).slice(0, FIRST_BYTES)
    const type = IMAGES.find(([, magic]) => start.startsWith(magic))?.[0]
    return el('div.data', type && el('img', {src: `data:${type};base64,${base64}`, alt: 'The data as an image'}),
      el('pre', {tabIndex: 0}, dump(start)), length > FIRST_BYTES && el('p', `the first ${FIRST_BYTES} bytes`))
  })
}

// A dump with eight bytes in each line: the offset, the hexadecimal digits, and the characters of ASCII.
function dump(bytes) {
  const hexadecimal = (number, digits) => number.toString(16).padStart(digits, '0')
  return bytes.replace(/[^]{1,8}/g, (part, offset) => {
    const digits = Array.from(part, each => hexadecimal(each.charCodeAt(0), 2)).join(' ')
    return `${hexadecimal(offset, 4)}  ${digits.padEnd(23)}  ${part.replace(/[^ -~]/g, '·')}\n`
  }).trimEnd()
}

// The sentence about a missing item, with the names of items in place of paths.
function sentence({status, message, body: {nearest}}, place) {
  if (status !== 404 || nearest === undefined) return message
  const near = Place.ofLink(nearest), name = place.prefix(near.segments.length + 1).name
  const hint = /Did you mean .*$/.exec(message)?.[0].replace(/^([^']*)'(.*)'/, '$1“$2”') ?? ''
  return `There is no “${oneLine(name)}” in ${near.segments.length ? `“${oneLine(near.name)}”`
    : 'this document'}. ${hint}`.trim()
}

// MARK: The facts about the document: its source, its size, how it was read, its latest change, and who may use it.

const CLOCK = new Intl.DateTimeFormat(undefined, {dateStyle: 'medium', timeStyle: 'short'})

async function documentFacts(app) {
  const [{source, items, reading, loadedAt}, isClosed] = await Promise.all([getJSON('/readyz'), isReadingClosed()])
  const {at = loadedAt, by} = live.latest ?? {}, [, name] = /^edit (.*)/.exec(by ?? '') ?? []
  const isLocal = /^(localhost|127\.|\[::1\])/.test(location.hostname)
  const facts = {
    Source: source, Size: plural(items, 'item'), 'Read as': reading,
    [by ? 'Last change' : 'Read']: el('time', {dateTime: at, title: at}, CLOCK.format(new Date(at)),
      by ? by === 'reload' ? ', in the file' : `, by ${name ?? 'an editor'}` : ''),
    Reading: isClosed ? 'With a token' : 'Open to all',
    Editing: app.isEditing ? 'You can edit' : app.isEditable ? 'With a token' : 'Off',
    'For a phone': isLocal ? el('span', 'Only this machine can connect. To let others in, start it with ',
      el('code', '--listen 0.0.0.0:8080'))
      : location.origin + base + '/',
  }
  return el('dl.fields',
    ...Object.entries(facts).filter(([, value]) => value).map(([name, value]) => line(name, {}, value)))
}

// MARK: The column for an address that cannot be shown: the reason, and a way out.

export class MissingPane {
  body = el('div.detail-body')
  isRead = true

  // If the missing item has a form with unsaved changes, the form is shown, too.
  constructor(app, place, problem) {
    this.app = app
    this.place = place
    this.problem = problem
    const near = problem.body.nearest ?? (problem.body.parameter ? place.level : '/levels/')
    const needsToken = problem.status === 401
    this.title = needsToken ? 'A token is needed' : problem.body.title ?? 'Not found'
    this.heading = el('h2', {tabIndex: -1}, this.title)
    const away = needsToken
      ? el('button.button', {onclick: async () => await token.ask('reading') && location.reload()}, 'Enter a token')
      : el('a', {href: Place.ofLink(near).address}, 'Go to what is there')
    this.element = el('section.pane.missing', {ariaLabel: this.title}, el('div.head-line', backLink(place.parent)),
      el('div.apology', this.heading,
      !needsToken && el('p', {dir: 'auto'}, sentence(problem, place)), el('p', away)), this.body)
    app.editor?.drawDetail(this)
  }

  shows() { return false }
  concernedBy() { return true }

  // Checks whether the item exists again.
  refresh = coalesced(async () => {
    if (await getJSON(this.place.target).catch(() => null)) this.app.turned(this)
  })

  redrawAll() {}

  end() { this.element.remove() }
}
