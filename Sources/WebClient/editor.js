// Editing: what is added to heads, rows and details once a token is given.

import {fromJSON, parse, plain, plist, readDetail, xml} from './detail-pane.js'
import {boxOf, brief, el, icon, iconButton, on, plural, size, stop} from './elements.js'
import {ask, askText, tell} from './messages.js'
import {decodeSegment, Place} from './place.js'
import {itemPath} from './row.js'
import {getJSON, request, send, token} from './service.js'

// MARK: Editing: what is added to heads, rows and details once a token is given.

const keyOf = href => decodeSegment(href.split('/').at(-1))
const detailOf = href => href.replace(/^\/levels/, '/detail')

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
      if (!error.status || [401, 403].includes(error.status)) {
        tell(error.message, {isRefusal: true})
        return false
      }
    }
    return true
  }

  // Does edits as one batch; a refusal is told, and gives null.
  async edits(steps, type) {
    try {
      const content = type ? plist(xml({type: 'dictionary', value: [['edits', {type: 'array', value: steps}]]})) : {edits: steps}
      return await send('POST', '/edits', content, {type})
    } catch (error) {
      this.refused(error)
      return null
    }
  }

  refused(error) {
    if (error.status === 401) token.value = null
    tell(error.status ? `Not saved: ${error.message}`
      : 'Not saved: the connection is lost. What you typed is still here.', {isRefusal: true, seconds: 20})
  }

  // MARK: Heads and rows

  updateHead(head) {
    const {pane} = head
    if (!this.app.isEditing || pane !== this.app.end || pane.isSettings) return head.extra.replaceChildren()
    const marked = pane.marked.size
    head.extra.replaceChildren(el('div.edit-tools', {role: 'toolbar', 'aria-label': 'Editing'},
      iconButton('add', 'Add an item', () => this.add(pane)),
      ...(marked ? [
        iconButton('edit', 'Rename', () => this.rename(pane), {disabled: marked !== 1}),
        iconButton('up', 'Move up', () => this.shift(pane, -1)),
        iconButton('down', 'Move down', () => this.shift(pane, 1)),
        iconButton('cut', 'Cut', () => this.cut(pane)),
        iconButton('remove', 'Delete', () => this.remove(pane, this.#chosen(pane))),
        el('span.note', plural(marked, 'row', 'rows')),
      ] : [
        this.#cut.length > 0 && el('button.plain', {onclick: () => this.paste(pane)}, `Move ${plural(this.#cut.length, 'item', 'items')} here`),
        el('span.note', 'Mark rows to change them.'),
      ])))
  }

  // What a row has while editing: a mark, and a handle to drag it by.
  decorate(row, pane) {
    const isMarked = pane.marked.has(row.href)
    return [
      el('button.mark', {role: 'checkbox', 'aria-checked': String(isMarked), 'aria-label': `Mark ${row.title}`, tabindex: '-1'}),
      el('span.handle', {'aria-hidden': 'true'}, icon('move')),
    ]
  }

  #paneOf(element) {
    return this.app.panes.find(pane => pane.kind === 'level' && pane.element.contains(element))
  }

  #rowOf(element, pane) {
    const index = pane ? pane.list.indexOf(element) : -1
    return index < 0 ? null : {index, row: pane.level.row(index)}
  }

  #clicked(event) {
    if (!this.app.isEditing) return
    const pane = this.#paneOf(event.target), at = this.#rowOf(event.target, pane)
    if (!at?.row || !(event.target.closest('.mark') || event.ctrlKey || event.metaKey || event.shiftKey)) return
    stop(event)
    this.mark(pane, at, event.shiftKey)
  }

  mark(pane, {index, row}, isRange) {
    const {marked} = pane
    if (isRange && this.last !== undefined) {
      for (let each = Math.min(index, this.last); each <= Math.max(index, this.last); each++) {
        const other = pane.level.row(each)
        if (other) marked.add(other.href)
      }
    } else if (!marked.delete(row.href)) marked.add(row.href)
    this.last = index
    pane.redrawAll()
  }

  #pressed(event) {
    const pane = this.app.isEditing && event.target.closest?.('.handle') && this.#paneOf(event.target)
    const at = this.#rowOf(event.target, pane)
    if (at?.row) beginDrag(event, this, pane, pane.marked.has(at.row.href) ? this.#chosen(pane) : [at.row.href])
  }

  // The marked rows in their order, or the row that has the focus.
  #chosen(pane) {
    const marked = [...pane.level.loaded()].map(([, row]) => row.href).filter(href => pane.marked.has(href))
    const at = this.#rowOf(document.activeElement, pane)
    return marked.length ? marked : at?.row ? [at.row.href] : []
  }

  #key(event) {
    const pane = this.#paneOf(document.activeElement)
    if (!this.app.isEditing || !pane || pane.isSettings || event.target.closest('input, textarea, select, dialog, .panel')) return
    const at = this.#rowOf(document.activeElement, pane)
    const isCommand = event.ctrlKey || event.metaKey
    const actions = {
      Delete: () => this.remove(pane, this.#chosen(pane)), F2: () => this.rename(pane), Insert: () => this.add(pane),
      ' ': () => at && this.mark(pane, at, event.shiftKey),
    }
    const action = event.altKey ? {ArrowUp: () => this.shift(pane, -1), ArrowDown: () => this.shift(pane, 1)}[event.key]
      : isCommand ? {x: () => this.cut(pane), v: () => this.paste(pane)}[event.key] : actions[event.key]
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
    const done = await this.edits([{insert: {[name]: title}, to: pane.place.level, at: chosen && !pane.place.levelQuery ? 'after:' + keyOf(chosen) : 'last'}])
      ?? null
    if (done) this.app.announce(`${title} is added.`)
  }

  // What the document calls a title: that of another row, for documents with names of their own.
  async #titleName(pane) {
    const [, row] = pane.level.loaded().next().value ?? []
    if (!row) return 'Title'
    return titleName(await getJSON(detailOf(row.href)).catch(() => ({fields: {}})))
  }

  async rename(pane) {
    const [href] = this.#chosen(pane)
    if (!href) return
    const detail = await getJSON(detailOf(href))
    const title = await askText('Rename', 'Title', detail.title, 'Rename')
    if (title === null || title === detail.title) return
    await this.#retitle(pane, detail, title)
  }

  async #retitle(pane, detail, title) {
    try {
      const answer = await send('PATCH', detail.href, {[titleName(detail)]: title}, {ifMatch: detail.version})
      pane.marked.clear()
      this.follow(Place.ofLink(detail.href), Place.ofLink(answer.href))
    } catch (error) {
      if (error.status !== 412) return this.refused(error)
      const now = await getJSON(detail.href).catch(() => null)
      if (!now) return this.refused(error)
      // The version is also that of its place: only another title is a conflict.
      const isSame = now.title === detail.title
      if (isSame || await ask('It was changed meanwhile', [
        el('p', {dir: 'auto'}, `Its title is “${now.title}” now. Yours is “${title}”.`)], [
        {text: 'Keep theirs', value: ''}, {text: 'Use mine', value: 'mine', kind: 'main'}])) await this.#retitle(pane, now, title)
    }
  }

  // An item has another path now: an address that leads through it is made right.
  follow(from, to) {
    if (from.path === to.path) return
    const {place} = this.app
    const isWithin = place.path === from.path || place.path.startsWith(from.path + '/')
    if (isWithin) this.app.go(new Place([...to.segments, ...place.segments.slice(from.segments.length)], place.query), {replace: true})
  }

  async remove(pane, hrefs) {
    if (!hrefs.length) return
    const kept = await this.#kept(hrefs)
    if (!kept || !await this.edits(hrefs.map(href => ({delete: detailOf(href)})))) return
    const {place} = this.app
    pane?.marked.clear()
    pane?.redrawAll()
    const gone = hrefs.map(itemPath).find(path => place.path === path || place.path.startsWith(path + '/'))
    if (gone !== undefined) this.app.go(new Place(gone.split('/')).parent, {replace: true})
    tell(`${hrefs.length === 1 ? `“${kept[0].title}”` : plural(kept.length, 'item', 'items')} deleted.`, {
      label: 'Undo', action: () => this.#restore(kept), seconds: 30,
    })
  }

  // What is needed to put items back: each whole, with its exact types, and where it was.
  async #kept(hrefs) {
    try {
      return await Promise.all(hrefs.map(async href => {
        const detail = await getJSON(detailOf(href))
        const response = await request(detailOf(href).replace(/^\/detail/, '/document'), {headers: {Accept: 'application/x-plist'}})
        const above = Place.ofLink(href).parent
        const {sections} = await getJSON(above.level + '?limit=1&fields=')
        return {...detail, item: parse(await response.text()), above: above.level, sections}
      }))
    } catch (error) {
      this.refused(error)
      return null
    }
  }

  async #restore(kept) {
    const string = value => ({type: 'string', value})
    const steps = kept.map(({item, above, position, previous, sections}) => {
      const isFirst = sections[position.section]?.start === position.index || !previous
      const step = [['insert', item], ['to', string(above)], ['at', string(isFirst ? 'first' : 'after:' + keyOf(previous.href))]]
      if (isFirst && sections.length > 1) step.push(['section', {type: 'integer', value: String(position.section)}])
      return {type: 'dictionary', value: step}
    })
    if (await this.edits(steps, 'application/x-plist')) tell('It is back.', {seconds: 4})
  }

  // Moves the chosen rows by one row; at the end of a section into the next.
  // Presses that come quickly wait for each other.
  shift(pane, by) {
    return this.#shifts = this.#shifts.then(() => this.#shift(pane, by)).then(() => pane.refresh())
  }

  #shifts = Promise.resolve()

  async #shift(pane, by) {
    if (pane.place.levelQuery) return tell('Rows can be moved only in the order of the document.', {isRefusal: true})
    const hrefs = this.#chosen(pane)
    const indices = hrefs.map(href => pane.level.indexOf(href))
    const at = by < 0 ? Math.min(...indices) - 1 : Math.max(...indices) + 1
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
    this.app.announce(`${plural(hrefs.length, 'item', 'items')} moved.`)
  }

  cut(pane) {
    this.#cut = this.#chosen(pane)
    pane.marked.clear()
    pane.redrawAll()
    tell(`${plural(this.#cut.length, 'item', 'items')} cut. Open another level to move there.`, {seconds: 5})
  }

  async paste(pane) {
    const hrefs = this.#cut
    this.#cut = []
    if (hrefs.length) await this.move(hrefs, pane.place.level, 'last')
    pane.redrawAll()
  }

  drawDetail(pane) {
    const isSetting = pane.detail.fields.some(([name, {value}]) => name === 'Type' && /^PS/.test(value))
    return this.app.isEditing && !isSetting && drawForm(pane, this)
  }
}

// MARK: The fields of an item as a form, by type, with what to do when someone else changed them meanwhile.

const TYPES = {string: 'Text', integer: 'Whole number', real: 'Number', boolean: 'Yes or no', date: 'Date', data: 'Data', array: 'List', dictionary: 'Fields'}
const EMPTY = {string: '', integer: '0', real: '0', boolean: false, date: '2000-01-01T00:00:00Z', data: '', array: [], dictionary: []}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other)

// Draws the form unless it has unsaved changes, which stay. Gives whether the pane shows a form.
function drawForm(pane, editor) {
  if (pane.form?.element.isConnected && pane.form.isChanged) return true
  pane.form = new EditForm(pane, editor)
  pane.body.replaceChildren(pane.form.element)
  return true
}

class EditForm {
  constructor(pane, editor) {
    this.pane = pane
    this.editor = editor
    this.original = pane.detail
    this.fields = pane.detail.fields.map(([name, value]) => [name, value])
    this.list = el('div.fields')
    this.buttons = el('div.buttons')
    this.element = el('form.edit-form', {onsubmit: event => (event.preventDefault(), this.save())}, this.list, this.buttons)
    on(this.element, 'keydown', event => event.key === 'Escape' || event.stopPropagation())
    this.#draw()
  }

  get isChanged() {
    return !same(this.fields, this.original.fields)
  }

  #draw() {
    this.list.replaceChildren(...this.fields.map((field, place) => this.#row(field, place)),
      el('button.plain', {onclick: () => this.#add()}, icon('add'), 'Add a field'))
    this.#offer()
  }

  // Save and revert are there once there is something to save.
  #offer() {
    const shown = this.isChanged ? 'changed' : 'same'
    if (this.buttons.dataset.shown === shown) return
    this.buttons.dataset.shown = shown
    this.buttons.replaceChildren(
      el('button.button.danger', {onclick: () => this.editor.remove(null, [this.original.href])}, 'Delete'),
      ...(this.isChanged ? [
        el('button.button', {onclick: () => this.#revert()}, 'Revert'),
        el('button', {type: 'submit', class: 'button main'}, 'Save'),
      ] : []))
  }

  #revert() {
    this.fields = this.original.fields.map(field => [...field])
    this.#draw()
    this.pane.refresh()
  }

  #row(field, place) {
    const [name, value] = field
    const change = next => {
      field[1] = {type: value.type, value: next}
      this.#offer()
    }
    return el('div', {class: 'field edit-' + value.type},
      el('label', el('span', {dir: 'auto'}, name), INPUTS[value.type]?.(value.value, change) ?? json(value, next => {
        field[1] = next
        this.#offer()
      })),
      iconButton('close', `Remove the field ${name}`, () => {
        this.fields.splice(place, 1)
        this.#draw()
      }))
  }

  async #add() {
    const name = el('input', {required: true, autocomplete: 'off'})
    const type = el('select', ...Object.entries(TYPES).map(([value, text]) => el('option', {value}, text)))
    const answer = await ask('Add a field', [el('label', 'Name', name), el('label', 'Type', type)], [
      {text: 'Cancel', value: ''}, {text: 'Add', value: 'done', kind: 'main'}])
    if (!answer || this.fields.some(([other]) => other === name.value)) return
    this.fields.push([name.value, {type: type.value, value: EMPTY[type.value]}])
    this.#draw()
    this.list.querySelector('.field:last-of-type :is(input, textarea)')?.focus()
  }

  // The names whose values are not those of another state of the item.
  #changes(fields, other) {
    const before = new Map(other)
    const after = new Map(fields)
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
    const now = new Map(this.fields), old = new Map(before)
    const isExact = name => !now.has(name) || now.get(name).type === old.get(name)?.type || !['date', 'data', 'real'].includes(now.get(name).type)
    if (changed.every(isExact)) {
      const members = changed.map(name => `${JSON.stringify(name)}:${now.has(name) ? literal(now.get(name)) : 'null'}`)
      return send('PATCH', this.original.href, `{${members.join()}}`, {ifMatch: version, type: 'application/merge-patch+json'})
    }
    return send('PUT', this.original.href, plist(xml({type: 'dictionary', value: this.fields})), {ifMatch: version, type: 'application/x-plist'})
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
    const names = [...new Set([...mine, ...this.#changes(theirs.fields, this.original.fields)])]
    const text = (fields, name) => {
      const value = new Map(fields).get(name)
      return value ? brief(plain(value)) : '(none)'
    }
    const table = el('table.versions',
      el('thead', el('tr', ...['Field', 'Yours', 'Theirs'].map(each => el('th', {scope: 'col'}, each)))),
      el('tbody', ...names.map(name => el('tr', el('th', {scope: 'row'}, name),
        el('td', {dir: 'auto'}, text(this.fields, name)), el('td', {dir: 'auto'}, text(theirs.fields, name))))))
    const answer = await ask('It was changed meanwhile', [
      el('p', 'Someone else saved this item after you began. Which version is to stay?'), table,
    ], [{text: 'Go on typing', value: ''}, {text: 'Take theirs', value: 'theirs'}, {text: 'Save mine', value: 'mine', kind: 'main'}])
    if (!answer) return
    const merged = new Map(theirs.fields), own = new Map(this.fields)
    if (answer === 'mine') for (const name of mine) own.has(name) ? merged.set(name, own.get(name)) : merged.delete(name)
    this.original = theirs
    this.fields = [...merged]
    this.#draw()
    if (answer === 'mine') await this.save(theirs.version, theirs.fields)
    else this.pane.refresh()
  }
}

// A value in JSON, numbers with every digit.
const literal = value => ['integer', 'real'].includes(value.type) && Number.isFinite(Number(value.value)) ? value.value : JSON.stringify(plain(value))

const INPUTS = {
  string(value, change) {
    const area = el('textarea', {dir: 'auto', rows: Math.min(12, Math.max(1, Math.ceil(value.length / 60), value.split('\n').length)), oninput: () => change(area.value)})
    area.value = value
    return area
  },
  integer: (value, change) => numberField(value, change, '-?[0-9]+', 'numeric'),
  real: (value, change) => numberField(value, change, '-?[0-9]+([.][0-9]+)?([eE](-|[+])?[0-9]+)?|nan|(-|[+])infinity', 'decimal'),
  boolean(value, change) {
    const box = el('input.switch', {type: 'checkbox', role: 'switch', onchange: () => change(box.checked)})
    box.checked = value
    return box
  },
  date(value, change) {
    const field = el('input', {type: 'datetime-local', step: '1', required: true, title: 'UTC', oninput: () =>
      field.value && change(field.value.length === 16 ? field.value + ':00Z' : field.value + 'Z')})
    field.value = value.replace(/Z$/, '')
    return field
  },
  data(value, change) {
    const note = el('span', size(Math.floor(value.length * 3 / 4)))
    const file = el('input', {type: 'file', onchange: async () => {
      const bytes = new Uint8Array(await file.files[0].arrayBuffer())
      let text = ''
      for (const byte of bytes) text += String.fromCharCode(byte)
      change(btoa(text))
      note.textContent = size(bytes.length)
    }})
    return el('span', note, file)
  },
}

function numberField(value, change, pattern, inputmode) {
  const field = el('input', {pattern, inputmode, required: true, autocomplete: 'off', oninput: () => change(field.value)})
  field.value = value
  return field
}

// Lists and dictionaries as JSON; the service keeps the types of what was there before.
function json(value, change) {
  const area = el('textarea', {rows: '6', spellcheck: 'false', class: 'code', oninput: () => {
    try {
      change(fromJSON(JSON.parse(area.value)))
      area.setCustomValidity('')
    } catch (error) {
      area.setCustomValidity(error.message)
    }
  }})
  area.value = JSON.stringify(plain(value), null, 2)
  return area
}

// MARK: Moving rows by dragging their handles, with a mouse or a finger.

const EDGE = 48

function beginDrag(event, editor, pane, hrefs) {
  event.preventDefault()
  const line = el('div.drop-line', {hidden: true})
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
  if (pane.place.levelQuery) {
    end(false)
    tell('Rows can be moved only in the order of the document.', {isRefusal: true})
    return
  }
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
  const index = list.indexOf(under), row = index >= 0 ? pane.level.row(index) : null
  if (!row) return {to, at: 'last'}
  if (hrefs.includes(row.href)) return null
  const item = list.elementOf(index), {top, height, left, width} = boxOf(item)
  const share = (clientY - top) / height
  if (!row.leaf && share > 0.25 && share < 0.75) {
    item.classList.add('drop-into')
    return {to: row.href, at: 'last'}
  }
  line.hidden = false
  Object.assign(line.style, {left: left + 'px', width: width + 'px', top: (share < 0.5 ? top : top + height) + 'px'})
  return {to, at: (share < 0.5 ? 'before:' : 'after:') + keyOf(row.href)}
}
