// Editing: what is added to heads, rows and details once a token is given.

import {getJSON, Problem, request, send, token} from './api.js'
import {ask, askText} from './dialogs.js'
import {beginDrag} from './drag.js'
import {el, icon, iconButton} from './dom.js'
import {drawForm} from './edit-form.js'
import {plural} from './format.js'
import {tell} from './notices.js'
import {decodeSegment, Place} from './place.js'
import {parse, plist, xml} from './plist.js'
import {itemPath} from './row.js'

export const keyOf = href => decodeSegment(href.split('/').at(-1))
export const detailOf = href => href.replace(/^\/levels/, '/detail')

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
      if (!(error instanceof Problem) || [401, 403].includes(error.status)) {
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
    tell(error instanceof Problem ? `Not saved: ${error.message}`
      : 'Not saved: the connection is lost. What you typed is still here.', {isRefusal: true, seconds: 20})
  }

  // MARK: Heads and rows

  updateHead(head) {
    const {pane} = head
    if (!this.app.isEditing || pane !== this.app.end || pane.isSettings) return head.extra.replaceChildren()
    const marked = pane.marked.size
    head.extra.replaceChildren(el('div', {class: 'edit-tools', role: 'toolbar', 'aria-label': 'Editing'},
      iconButton('add', 'Add an item', () => this.add(pane)),
      ...(marked ? [
        iconButton('edit', 'Rename', () => this.rename(pane), {disabled: marked !== 1}),
        iconButton('up', 'Move up', () => this.shift(pane, -1)),
        iconButton('down', 'Move down', () => this.shift(pane, 1)),
        iconButton('cut', 'Cut', () => this.cut(pane)),
        iconButton('remove', 'Delete', () => this.remove(pane, this.#chosen(pane))),
        el('span', {class: 'note'}, plural(marked, 'row', 'rows')),
      ] : [
        this.#cut.length > 0 && el('button', {type: 'button', class: 'plain', onclick: () => this.paste(pane)}, `Move ${plural(this.#cut.length, 'item', 'items')} here`),
        el('span', {class: 'note'}, 'Mark rows to change them.'),
      ])))
  }

  // What a row has while editing: a mark, and a handle to drag it by.
  decorate(row, pane) {
    const isMarked = pane.marked.has(row.href)
    return [
      el('button', {type: 'button', class: 'mark', role: 'checkbox', 'aria-checked': String(isMarked), 'aria-label': `Mark ${row.title}`, tabindex: '-1'}),
      el('span', {class: 'handle', 'aria-hidden': 'true'}, icon('move')),
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
    event.preventDefault()
    event.stopPropagation()
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
    event.preventDefault()
    event.stopPropagation()
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
