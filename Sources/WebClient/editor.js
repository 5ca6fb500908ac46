// Editing: what is added to heads, rows and details once a token is given.

import {bytesIn, fromJSON, plain, plist, readDetail, readPlist} from './detail-pane.js'
import {boxOf, brief, choiceField, el, hasFocus, icon, iconButton, plural, size, stop, toggleSwitch, within} from './elements.js'
import {ask, askText, refuse, tell} from './messages.js'
import {decodeSegment, itemPath, Place} from './place.js'
import {getJSON, send, token} from './service.js'

// MARK: Editing: what is added to heads, rows and details once a token is given.

const keyOf = href => decodeSegment(href.split('/').at(-1))
const detailOf = href => Place.ofLink(href).detail

// The name of the field that holds an item's title.
const titleName = ({fields, title}) =>
  'Title' in fields ? 'Title' : Object.keys(fields).find(name => fields[name] === title) ?? 'Title'

export class Editor {
  #cut = []

  constructor(app) {
    this.app = app
    addEventListener('keydown', event => this.#key(event), true)
    addEventListener('pointerdown', event => this.#pressed(event))
    addEventListener('click', event => this.#clicked(event), true)
  }

  // Whether the token is right: an edit that changes nothing says so.
  static async isAllowed() {
    try {
      await send('PATCH', '/detail/', {})
    } catch (error) {
      if (error.status && ![401, 403].includes(error.status)) return true
      refuse(error.message)
      return false
    }
    return true
  }

  // Does edits as one batch; a refusal is told, and gives nothing.
  async edits(steps, type) {
    try {
      const content = type ? plist(dictionary([['edits', {type: 'array', value: steps}]])) : {edits: steps}
      return await send('POST', '/edits', content, {type})
    } catch (error) {
      this.refused(error)
    }
  }

  refused({status, message}) {
    if (status === 401) token.value = null
    refuse('Not saved: ' + (status ? message : 'the connection is lost. What you typed is still here.'), 20)
  }

  // MARK: Heads and rows

  updateHead(head) {
    const {pane} = head
    if (!this.app.isEditing || pane !== this.app.end || pane.isSettings) return head.extra.replaceChildren()
    const marked = pane.marked.size
    head.extra.replaceChildren(el('div.edit-tools', {role: 'toolbar', ariaLabel: 'Editing'},
      iconButton('add', 'Add an item', () => this.add(pane)),
      ...(marked ? [
        iconButton('edit', 'Rename', () => this.rename(pane), {disabled: marked > 1}),
        iconButton('up', 'Move up', () => this.shift(pane, -1)),
        iconButton('down', 'Move down', () => this.shift(pane, 1)),
        iconButton('cut', 'Cut', () => this.cut(pane)),
        iconButton('remove', 'Delete', () => this.remove(pane, this.#chosen(pane))),
        el('span.note', plural(marked, 'row')),
      ] : [
        this.#cut.length > 0 && el('button.plain', {onclick: () => this.paste(pane)}, `Move ${plural(this.#cut.length, 'item')} here`),
        el('span.note', 'Mark rows to change them.'),
      ])))
  }

  // What a row has while editing: a mark, and a handle to drag it by.
  decorate({title}) {
    return [el('button.mark', {role: 'checkbox', ariaLabel: `Mark ${title}`, tabIndex: -1}), el('span.handle', {ariaHidden: true}, icon('move'))]
  }

  #paneOf(element) {
    return this.app.isEditing && this.app.panes.find(pane => pane.kind === 'level' && pane.element.contains(element))
  }

  #clicked(event) {
    const pane = this.#paneOf(event.target), href = hrefAt(event.target)
    if (!pane || !href || !(event.target.closest('.mark') || event.ctrlKey || event.metaKey || event.shiftKey)) return
    stop(event)
    this.mark(pane, href, event.shiftKey)
  }

  mark(pane, href, isRange) {
    const {marked, level} = pane, index = level.indexOf(href), last = isRange ? level.indexOf(this.last) : -1
    if (last >= 0) {
      for (const [each, row] of level.loaded()) if (each >= Math.min(index, last) && each <= Math.max(index, last)) marked.add(row.href)
    } else if (!marked.delete(href)) marked.add(href)
    this.last = href
    pane.redrawAll()
  }

  #pressed(event) {
    const pane = event.target.closest('.handle') && this.#paneOf(event.target), href = hrefAt(event.target)
    if (pane && href) beginDrag(event, this, pane, pane.marked.has(href) ? this.#chosen(pane) : [href])
  }

  // The marked rows in their order, or the row that has the focus.
  #chosen(pane) {
    const marked = [...pane.level.loaded()].map(([, row]) => row.href).filter(href => pane.marked.has(href))
    const href = hasFocus(pane.element) && hrefAt(document.activeElement)
    return marked.length || !href ? marked : [href]
  }

  #key(event) {
    const pane = this.#paneOf(event.target), href = hrefAt(event.target)
    if (!pane || pane.isSettings || event.target.closest('input, select')) return
    const action = (event.altKey ? {ArrowUp: () => this.shift(pane, -1), ArrowDown: () => this.shift(pane, 1)}
      : event.ctrlKey || event.metaKey ? {x: () => this.cut(pane), v: () => this.paste(pane)} : {
        Delete: () => this.remove(pane, this.#chosen(pane)), F2: () => this.rename(pane), Insert: () => this.add(pane),
        ' ': href && (() => this.mark(pane, href, event.shiftKey)),
      })[event.key]
    if (!action) return
    stop(event)
    action()
  }

  // MARK: Edits

  async add(pane) {
    const title = await askText('Add an item', 'Title', '', 'Add')
    if (title === null) return
    const name = await this.#titleName(pane)
    const chosen = this.#chosen(pane).at(-1)
    const at = chosen && !pane.place.levelQuery ? 'after:' + keyOf(chosen) : 'last'
    if (await this.edits([{insert: {[name]: title}, to: pane.place.level, at}])) this.app.announce(`${title} is added.`)
  }

  // What the document calls a title: that of another row, for documents with names of their own.
  async #titleName(pane) {
    const [, row] = pane.level.loaded().next().value ?? []
    return row ? titleName(await getJSON(detailOf(row.href))) : 'Title'
  }

  async rename(pane) {
    const [href] = this.#chosen(pane)
    if (!href) return
    const detail = await getJSON(detailOf(href))
    const title = await askText('Rename', 'Title', detail.title, 'Rename')
    if (title !== null && title !== detail.title) await this.#retitle(pane, detail, title)
  }

  async #retitle(pane, detail, title) {
    try {
      const answer = await send('PATCH', detail.href, {[titleName(detail)]: title}, {ifMatch: detail.version})
      pane.marked.clear()
      this.follow(Place.ofLink(detail.href), Place.ofLink(answer.href))
    } catch (error) {
      if (error.status !== 412) return this.refused(error)
      const now = await getJSON(detail.href)
      // The version is also that of its place: only another title is a conflict.
      if (now.title === detail.title || await ask('It was changed meanwhile', [
        el('p', {dir: 'auto'}, `Its title is “${now.title}” now. Yours is “${title}”.`),
      ], ['Keep theirs', 'Use mine'])) await this.#retitle(pane, now, title)
    }
  }

  // An item has another path now: an address that leads through it is made right.
  follow(from, to) {
    const {place} = this.app
    if (from.path !== to.path && place.isWithin(from)) {
      this.app.go(new Place([...to.segments, ...place.segments.slice(from.segments.length)], place.query), {replace: true})
    }
  }

  async remove(pane, hrefs) {
    if (!hrefs.length) return
    // What is below another that goes too goes with it.
    const places = hrefs.map(Place.ofLink).filter((place, _, all) => !all.some(other => other !== place && place.isWithin(other)))
    const kept = await Promise.all(places.map(snapshot))
    if (!await this.edits(places.map(({detail}) => ({delete: detail})))) return
    pane?.marked.clear()
    pane?.redrawAll()
    const gone = places.find(each => this.app.place.isWithin(each))
    if (gone) this.app.go(this.app.place.prefix(gone.segments.length - 1), {replace: true})
    tell(`${kept.length === 1 ? `“${kept[0].title}”` : plural(kept.length, 'item')} deleted.`, {
      label: 'Undo', action: () => this.#restore(kept), seconds: 30,
    })
  }

  async #restore(kept) {
    const string = value => ({type: 'string', value})
    const steps = kept.map(({item, above, position, previous, sections}) => {
      const isFirst = sections[position.section]?.start === position.index || !previous
      const step = [['insert', item], ['to', string(above)], ['at', string(isFirst ? 'first' : 'after:' + keyOf(previous.href))]]
      if (isFirst && sections.length > 1) step.push(['section', {type: 'integer', value: String(position.section)}])
      return dictionary(step)
    })
    if (await this.edits(steps, 'application/x-plist')) tell('It is back.', {seconds: 4})
  }

  // Moves the chosen rows by one row; at the end of a section into the next.
  // Presses that come quickly wait for each other.
  shift(pane, by) {
    this.#shifts = this.#shifts.then(() => this.#shift(pane, by)).then(() => pane.refresh())
  }

  #shifts = Promise.resolve()

  async #shift(pane, by) {
    if (!isMovable(pane)) return
    const hrefs = this.#chosen(pane), at = pane.level.indexOf(hrefs.at(by < 0 ? 0 : -1)) + by
    const other = pane.level.row(at)
    if (!hrefs.length || !other) return
    const {geometry} = pane.list
    const crosses = geometry.sectionOfRow(at) !== geometry.sectionOfRow(at - by)
    await this.move(hrefs, pane.place.level, ((by < 0) !== crosses ? 'before:' : 'after:') + keyOf(other.href))
  }

  // `at`: 'last', 'before:KEY' or 'after:KEY'. Rows keep their order among themselves.
  async move(hrefs, to, at) {
    const order = at.startsWith('after:') ? [...hrefs].reverse() : hrefs
    const done = await this.edits(order.map(href => ({move: detailOf(href), to, at})))
    if (!done) return
    order.forEach((href, place) => this.follow(Place.ofLink(href), Place.ofLink(done.edits[place].href)))
    this.app.announce(`${plural(hrefs.length, 'item')} moved.`)
  }

  cut(pane) {
    this.#cut = this.#chosen(pane)
    if (!this.#cut.length) return
    pane.marked.clear()
    pane.redrawAll()
    tell(`${plural(this.#cut.length, 'item')} cut. Open another level to move there.`, {seconds: 5})
  }

  async paste(pane) {
    const hrefs = this.#cut
    this.#cut = []
    if (hrefs.length) await this.move(hrefs, pane.place.level, 'last')
    pane.redrawAll()
  }

  // Whether a detail is shown as a form, which stays as it is while it has unsaved changes.
  drawDetail(pane) {
    const isSetting = pane.detail.fields.some(([name, {value}]) => name === 'Type' && /^PS/.test(value))
    if (!this.app.isEditing || isSetting) return false
    if (pane.form?.element.isConnected && pane.form.isChanged) return true
    pane.form = new EditForm(pane, this)
    pane.body.replaceChildren(pane.form.element)
    return true
  }
}

const hrefAt = element => element.closest('.item')?.dataset.href

const dictionary = value => ({type: 'dictionary', value})

// What is needed to put an item back: the whole of it, with its exact types, and where it was.
async function snapshot(place) {
  const {level: above} = place.parent
  const [detail, item, {sections}] = await Promise.all(
    [getJSON(place.detail), readPlist('/document/' + place.path), getJSON(above + '?limit=1&fields=')])
  return {...detail, item, above, sections}
}

// Whether rows can be moved on a level; if not, that is told.
function isMovable({place}) {
  if (place.levelQuery) refuse('Rows can be moved only in the order of the document.')
  return !place.levelQuery
}

// MARK: The fields of an item as a form, by type, with what to do when someone else changed them meanwhile.

const TYPES = {string: 'Text', integer: 'Whole number', real: 'Number', boolean: 'Yes or no', date: 'Date', data: 'Data', array: 'List', dictionary: 'Fields'}
const EMPTY = {string: '', integer: '0', real: '0', boolean: false, date: '2000-01-01T00:00:00Z', data: '', array: [], dictionary: []}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other)

class EditForm {
  #list = el('div.fields')
  #buttons = el('div.buttons')
  #offered = null

  constructor(pane, editor) {
    this.pane = pane
    this.editor = editor
    this.element = el('form.edit-form', {
      onsubmit: event => {
        event.preventDefault()
        this.save()
      },
      onkeydown: event => {
        if (event.key !== 'Escape') event.stopPropagation()
      },
    }, this.#list, this.#buttons)
    this.#begin(pane.detail)
  }

  // Shows a state of the item with nothing changed in it yet.
  #begin(detail) {
    this.original = detail
    this.fields = detail.fields.map(field => [...field])
    this.#draw()
  }

  get isChanged() {
    return !same(this.fields, this.original.fields)
  }

  #draw() {
    this.#list.replaceChildren(...this.fields.map(field => this.#row(field)),
      el('button.plain', {onclick: () => this.#add()}, icon('add'), 'Add a field'))
    this.#offer()
  }

  // Save and revert are there once there is something to save.
  #offer() {
    const {isChanged} = this
    if (this.#offered === isChanged) return
    this.#offered = isChanged
    this.#buttons.replaceChildren(
      ...(this.pane.place.parent ? [el('button.button.danger', {onclick: () => this.editor.remove(null, [this.original.href])}, 'Delete')] : []),
      ...(isChanged ? [
        el('button.button', {onclick: () => {
          this.#begin(this.original)
          this.pane.refresh()
        }}, 'Revert'),
        el('button.button.main', {type: 'submit'}, 'Save'),
      ] : []))
  }

  #row(field) {
    const [name, {type, value}] = field
    const change = next => {
      field[1] = next
      this.#offer()
    }
    return el('div.field',
      el('label', el('span', {dir: 'auto'}, name), INPUTS[type]?.(value, value => change({type, value})) ?? json(field[1], change)),
      iconButton('close', `Remove the field ${name}`, () => {
        this.fields.splice(this.fields.indexOf(field), 1)
        this.#draw()
      }))
  }

  async #add() {
    const name = el('input', {required: true, autocomplete: 'off'})
    const type = choiceField('Type', Object.entries(TYPES), 'string')
    const answer = await ask('Add a field', [el('label', 'Name', name), el('label', 'Type', type)], ['Cancel', 'Add'])
    if (!answer || this.fields.some(([other]) => other === name.value)) return
    this.fields.push([name.value, {type: type.value, value: EMPTY[type.value]}])
    this.#draw()
    this.#list.querySelector('.field:last-of-type :is(input, textarea)').focus()
  }

  // The names whose values are not those of another state of the item.
  #changes(fields, other) {
    const before = new Map(other), after = new Map(fields)
    return [...new Set([...before.keys(), ...after.keys()])].filter(name => !same(before.get(name), after.get(name)))
  }

  async save(version = this.original.version, before = this.original.fields) {
    const changed = this.#changes(this.fields, before)
    try {
      const answer = await this.#send(changed, before, version)
      this.original = {...this.original, fields: this.fields.map(field => [...field]), version: answer.version}
      this.#offer()
      tell('Saved.', {seconds: 3})
      this.editor.follow(this.pane.place, Place.ofLink(answer.href))
      this.pane.refresh()
    } catch (error) {
      if (error.status === 412) await this.#resolve()
      else this.editor.refused(error)
    }
  }

  // A patch names only what changes. What JSON cannot tell of a new type goes as a property list, as a whole.
  #send(changed, before, version) {
    const {href} = this.original, now = new Map(this.fields), old = new Map(before)
    const isExact = name => {
      const type = now.get(name)?.type
      return type === old.get(name)?.type || !['date', 'data', 'real'].includes(type)
    }
    if (changed.every(isExact)) {
      const members = changed.map(name => `${JSON.stringify(name)}:${now.has(name) ? literal(now.get(name)) : 'null'}`)
      return send('PATCH', href, `{${members}}`, {ifMatch: version, type: 'application/merge-patch+json'})
    }
    return send('PUT', href, plist(dictionary(this.fields)), {ifMatch: version, type: 'application/x-plist'})
  }

  // Shows both versions of what was changed on either side, and asks which to keep.
  async #resolve() {
    let theirs
    try {
      theirs = await readDetail(this.pane.place)
    } catch (error) {
      return this.editor.refused(error)
    }
    // The version is also that of its place and its neighbours: only other fields are a conflict.
    if (same(theirs.fields, this.original.fields)) return this.save(theirs.version)
    const mine = this.#changes(this.fields, this.original.fields)
    const names = new Set([...mine, ...this.#changes(theirs.fields, this.original.fields)])
    const merged = new Map(theirs.fields), own = new Map(this.fields)
    const cell = value => el('td', {dir: 'auto'}, value ? brief(plain(value)) : '(none)')
    const answer = await ask('It was changed meanwhile', [
      el('p', 'Someone else saved this item after you began. Which version is to stay?'),
      el('table.versions',
        el('thead', el('tr', ...['Field', 'Yours', 'Theirs'].map(each => el('th', {scope: 'col'}, each)))),
        el('tbody', ...Array.from(names, name =>
          el('tr', el('th', {scope: 'row', dir: 'auto'}, name), cell(own.get(name)), cell(merged.get(name)))))),
    ], ['Go on typing', 'Take theirs', 'Save mine'])
    if (!answer) return
    this.#begin(theirs)
    if (answer === 'Take theirs') return this.pane.refresh()
    for (const name of mine) own.has(name) ? merged.set(name, own.get(name)) : merged.delete(name)
    this.fields = [...merged]
    this.#draw()
    await this.save(theirs.version, theirs.fields)
  }
}

// A value in JSON, numbers with every digit.
const literal = ({type, value}) => ['integer', 'real'].includes(type) && isFinite(value) ? value
  : JSON.stringify(type === 'real' ? value : plain({type, value}))

const INPUTS = {
  string: (value, change) => el('textarea', {
    dir: 'auto', rows: within(1, Math.max(Math.ceil(value.length / 60), value.split('\n').length), 12), value,
    oninput: ({target}) => change(target.value),
  }),
  integer: (value, change) => numberField(value, change, '-?[0-9]+', 'numeric'),
  real: (value, change) => numberField(value, change, '-?[0-9]+([.][0-9]+)?([eE](-|[+])?[0-9]+)?|nan|(-|[+])infinity', 'decimal'),
  boolean: (value, change) => toggleSwitch(null, value, {onchange: ({target}) => change(target.checked)}),
  date: (value, change) => el('input', {
    type: 'datetime-local', step: 1, required: true, title: 'UTC', value: value.replace(/Z$/, ''),
    oninput: ({target: {value}}) => {
      if (value) change(value.length === 16 ? value + ':00Z' : value + 'Z')
    },
  }),
  data(value, change) {
    const note = el('span', size(bytesIn(value)))
    return el('span', note, el('input', {type: 'file', onchange: async ({target: {files: [file]}}) => {
      const bytes = new Uint8Array(await file.arrayBuffer())
      change(btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join('')))
      note.textContent = size(bytes.length)
    }}))
  },
}

const numberField = (value, change, pattern, inputMode) => el('input', {
  pattern, inputMode, required: true, autocomplete: 'off', value, oninput: ({target}) => change(target.value),
})

// Lists and dictionaries as JSON; the service keeps the types of what was there before.
const json = (value, change) => el('textarea.code', {
  rows: 6, spellcheck: false, value: JSON.stringify(plain(value), null, 2),
  oninput: ({target}) => {
    let problem = ''
    try {
      change(fromJSON(JSON.parse(target.value)))
    } catch ({message}) {
      problem = message
    }
    target.setCustomValidity(problem)
  },
})

// MARK: Moving rows by dragging their handles, with a mouse or a finger.

const EDGE = 48

function beginDrag(event, editor, pane, hrefs) {
  event.preventDefault()
  if (!isMovable(pane)) return
  const line = el('div.drop-line')
  document.body.append(line)
  document.body.classList.add('dragging')
  let target = null, position = event, frame = 0
  const over = new AbortController()
  const {signal} = over
  const end = isDrop => {
    over.abort()
    cancelAnimationFrame(frame)
    line.remove()
    document.body.classList.remove('dragging')
    document.querySelector('.drop-into')?.classList.remove('drop-into')
    if (isDrop && target) editor.move(hrefs, target.to, target.at)
  }
  const follow = () => {
    target = targetAt(position, editor, hrefs, line, Math.abs(position.clientY - event.clientY) > EDGE)
    frame = requestAnimationFrame(follow)
  }
  addEventListener('pointermove', moved => position = moved, {signal})
  addEventListener('pointerup', () => end(true), {signal})
  addEventListener('pointercancel', () => end(false), {signal})
  addEventListener('keydown', pressed => pressed.key === 'Escape' && end(false), {signal})
  follow()
}

// Where a drop at a point would put the rows, shown by a line between two rows or by the row that takes them.
function targetAt({clientX, clientY}, editor, hrefs, line, hasMoved) {
  document.querySelector('.drop-into')?.classList.remove('drop-into')
  line.hidden = true
  const under = document.elementFromPoint(clientX, clientY)
  const pane = editor.app.panes.find(each => each.kind === 'level' && each.element.contains(under))
  if (!pane || pane.place.levelQuery) return null
  const {list} = pane, box = boxOf(list.element)
  if (hasMoved && clientY < box.top + EDGE) list.element.scrollTop -= 8
  if (hasMoved && clientY > box.bottom - EDGE) list.element.scrollTop += 8
  const to = pane.place.level
  const row = pane.level.row(list.indexOf(under))
  if (!row) return {to, at: 'last'}
  if (hrefs.includes(row.href)) return null
  const item = under.closest('.item'), {top, height, left, width} = boxOf(item)
  const share = (clientY - top) / height
  if (!row.leaf && share > 0.25 && share < 0.75) {
    item.classList.add('drop-into')
    return {to: row.href, at: 'last'}
  }
  line.hidden = false
  Object.assign(line.style, {left: left + 'px', width: width + 'px', top: (share < 0.5 ? top : top + height) + 'px'})
  return {to, at: (share < 0.5 ? 'before:' : 'after:') + keyOf(row.href)}
}
