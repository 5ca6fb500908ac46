// Editing: what is added to heads, rows and details once a token is given.

import {bytesIn, plain, plist, readDetail, readPlist} from './detail-pane.js'
import {boxOf, brief, choiceField, el, hasFocus, icon, iconButton, isSetting, number, plural, size, stop, toggleSwitch, within} from './elements.js'
import {ask, askText, reason, refuse, tell} from './messages.js'
import {decodeSegment, itemPath, Place} from './place.js'
import {getJSON, send, token} from './service.js'

// MARK: Editing: what is added to heads, rows and details once a token is given.

const keyOf = href => decodeSegment(href.split('/').at(-1))
const detailOf = href => Place.ofLink(href).detail

// What is read for an edit is asked for once: the edit is not to be done at some later time, when nobody expects it.
const readNow = href => send('GET', detailOf(href))

// Sends an edit; asks for another token where the one that is had was taken back.
async function edit(...request) {
  for (;;) {
    try {
      return await send(...request)
    } catch (error) {
      if (![401, 403].includes(error.status) || !await token.ask('editing', 'Your token does not allow edits any more.')) throw error
    }
  }
}

// Does edits as one batch.
const batch = (steps, type) =>
  edit('POST', '/edits', type ? plist(dictionary([['edits', {type: 'array', value: steps}]])) : {edits: steps}, {type})

// The name of the field that holds an item's title.
const titleName = ({fields, title}) =>
  'Title' in fields ? 'Title' : Object.keys(fields).find(name => fields[name] === title) ?? 'Title'

export class Editor {
  #cut = new Map()
  // The forms with unsaved changes, by the path of their item: they last as long as the tab.
  drafts = new Map()

  constructor(app) {
    this.app = app
    addEventListener('beforeunload', event => this.drafts.size && event.preventDefault())
    addEventListener('keydown', event => this.#key(event), true)
    addEventListener('pointerdown', event => this.#pressed(event))
    addEventListener('click', event => this.#clicked(event), true)
  }

  // Whether the token is right: an edit that changes nothing says so. A refusal of one for reading is not told.
  static async isAllowed(isForReading = false) {
    try {
      await send('PATCH', '/detail/', {})
    } catch (error) {
      if (error.status && ![401, 403].includes(error.status)) return true
      if (!isForReading) refuse(error.status ? 'This token does not allow edits.' : 'The connection is lost.')
      return false
    }
    return true
  }

  // Does an edit; a refusal is told, and gives nothing.
  async attempt(action, kept = '') {
    try {
      const answer = await action()
      document.querySelector('.refusal')?.remove()
      return answer
    } catch (error) {
      refuse(reason(error) + kept, 20)
    }
  }

  // MARK: Heads and rows

  updateHead(head) {
    const {pane} = head, version = pane.level.head?.version
    // Marks of items that are gone or have become others are taken away.
    if (pane.marked.size && pane.checked !== version) this.#details([...pane.marked.keys()], pane.marked).catch(() => {})
    pane.checked = version
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
        this.#cut.size > 0 && el('button.plain', {onclick: () => this.paste(pane)}, `Move ${plural(this.#cut.size, 'item')} here`),
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

  // A mark keeps the detail of its item: by that it is known again.
  mark(pane, href, isRange) {
    const {marked, level} = pane, add = href => marked.has(href) || marked.set(href, readNow(href).catch(() => null))
    const index = level.indexOf(href), last = isRange ? level.indexOf(this.last) : -1
    if (last >= 0) {
      for (const [each, row] of level.loaded()) if (each >= Math.min(index, last) && each <= Math.max(index, last)) add(row.href)
    } else if (!marked.delete(href)) add(href)
    this.last = href
    pane.redrawAll()
  }

  // The details of items as they are now; an error if one is not what it was when it was chosen, and is chosen no more.
  #details(hrefs, chosen) {
    return Promise.all(hrefs.map(async href => {
      const before = await chosen.get(href)
      const now = await readNow(href).catch(error => {
        if (!error.status || !before) throw error
      })
      if (!before || alike(before, now)) return now
      chosen.delete(href)
      this.app.end.redrawAll()
      throw {status: 412, message: `“${before.title}” was changed, renamed or deleted since it was chosen. Choose again.`}
    }))
  }

  // The keyboard goes on at the row of a link, or at the one that is now at an index.
  async #goOn(pane, href, index = 0) {
    await pane.refresh()
    if (document.activeElement !== document.body && !hasFocus(pane.element)) return
    const [found] = [...pane.level.loaded()].find(([, row]) => itemPath(row.href) === itemPath(href)) ?? [index]
    pane.focusRow(found)
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

  add(pane) {
    const chosen = this.#chosen(pane).at(-1)
    const at = chosen && !pane.place.levelQuery ? 'after:' + keyOf(chosen) : 'last'
    return askText('Add an item', 'Title', '', 'Add', async title => {
      const name = await this.#titleName(pane)
      const {edits: [{href}]} = await batch([{insert: {[name]: title}, to: pane.place.level, at}])
      this.app.announce(`${title} is added.`)
      this.#goOn(pane, href)
    })
  }

  // What the document calls a title: that of another row, for documents with names of their own.
  async #titleName(pane) {
    const [, row] = pane.level.loaded().next().value ?? []
    return row ? titleName(await readNow(row.href)) : 'Title'
  }

  async rename(pane) {
    const [href] = this.#chosen(pane)
    if (!href) return
    const [detail] = await this.attempt(() => this.#details([href], pane.marked)) ?? []
    if (detail) await askText('Rename', 'Title', detail.title, 'Rename', title => this.#retitle(pane, detail, title))
  }

  async #retitle(pane, detail, title) {
    try {
      const answer = await edit('PATCH', detail.href, {[titleName(detail)]: title}, {ifMatch: detail.fieldsVersion})
      pane.marked.clear()
      this.follow(Place.ofLink(detail.href), Place.ofLink(answer.href))
      this.#goOn(pane, answer.href)
    } catch (error) {
      if (error.status !== 412) throw error
      const {title: before} = detail
      Object.assign(detail, await readNow(detail.href))
      // The version is that of all fields: only another title is a conflict.
      if (detail.title !== before) throw {status: 412, message: `its title is “${detail.title}” now. Rename again to use yours.`}
      await this.#retitle(pane, detail, title)
    }
  }

  // An item has another path now: an address that leads to it or through it is made right.
  follow(from, to) {
    if (from.path === to.path) return
    const moved = each => each.isWithin(from)
      ? new Place([...to.segments, ...each.segments.slice(from.segments.length)], each.query) : each
    for (const pane of this.app.panes) if (pane.kind === 'detail') pane.place = moved(pane.place)
    let place = moved(this.app.place)
    const {length} = place.segments, {shown} = place, open = place.value('expand')
    if (shown) place = place.showing(moved(shown))
    if (open) {
      const below = path => moved(new Place([...place.segments, ...path.split('/')])).segments.slice(length).join('/')
      place = place.setting({expand: open.split(',').map(below).join(',')})
    }
    if (place.address !== this.app.place.address) this.app.go(place, {replace: true})
  }

  async remove(pane, hrefs) {
    if (!hrefs.length) return
    // What is below another that goes too goes with it.
    const top = hrefs.filter(href => !hrefs.some(other => other !== href && Place.ofLink(href).isWithin(Place.ofLink(other))))
    const places = top.map(Place.ofLink)
    const kept = await this.attempt(async () => {
      const details = await this.#details(top, pane?.marked ?? new Map())
      const kept = await Promise.all(places.map((place, index) => snapshot(place, details[index])))
      await batch(kept.map(({href, version}) => ({delete: href, ifMatch: version})))
      return kept
    })
    if (!kept) return
    for (const {path} of places) this.drafts.delete(path)
    const index = pane?.level.indexOf(hrefs[0])
    pane?.marked.clear()
    pane?.redrawAll()
    if (pane) this.#goOn(pane, '', index)
    const gone = places.find(each => this.app.place.isWithin(each))
    if (gone) this.app.go(this.app.place.prefix(gone.segments.length - 1), {replace: true, focus: 'selected'})
    tell(`${kept.length === 1 ? `“${kept[0].title}”` : plural(kept.length, 'item')} deleted.`, {
      label: 'Undo', action: () => this.#restore(kept), seconds: 30,
    })
  }

  // Puts items back where they were, or, if the rows around them are others now, last on their level.
  async #restore(kept) {
    const string = value => ({type: 'string', value})
    const insert = ({item, above}, ...more) => dictionary([['insert', item], ['to', string(above)], ...more])
    const exact = each => {
      const {position: {section, index}, previous, sections} = each
      const isFirst = sections[section]?.start === index || !previous
      return insert(each, ['at', string(isFirst ? 'first' : 'after:' + keyOf(previous.href))],
        ...(isFirst && sections.length > 1 ? [['section', {type: 'integer', value: String(section)}]] : []))
    }
    const type = 'application/x-plist'
    const done = await this.attempt(() => batch(kept.map(exact), type).catch(error => {
      if (![409, 422].includes(error.status)) throw error
      return batch(kept.map(each => insert(each)), type)
    }))
    if (!done) return false
    tell('It is back.', {seconds: 4})
    if (this.app.end.kind === 'level') this.#goOn(this.app.end, done.edits[0].href)
    return true
  }

  // Moves the chosen rows by one row; at the end of a section into the next.
  // Presses that come quickly wait for each other.
  shift(pane, by) {
    this.#shifts = this.#shifts.then(() => this.#shift(pane, by)).then(() => pane.refresh())
  }

  #shifts = Promise.resolve()

  async #shift(pane, by) {
    if (!isMovable(pane)) return
    const hrefs = this.#chosen(pane), index = pane.level.indexOf(hrefs.at(by < 0 ? 0 : -1))
    if (index < 0) return
    const {marked, list: {geometry: {sections}}, place: {level}} = pane, other = pane.level.row(index + by)
    const section = pane.list.geometry.sectionOfRow(index), {start, count} = sections[section]
    if (index !== (by < 0 ? start : start + count - 1)) {
      if (other) await this.move(hrefs, level, (by < 0 ? 'before:' : 'after:') + keyOf(other.href), marked)
    } else if (sections[section + by]) await this.move(hrefs, level, by < 0 ? 'last' : 'first', marked, section + by)
  }

  // `at`: 'first', 'last', 'before:KEY' or 'after:KEY'. Rows keep their order among themselves.
  // `chosen`: what was known of the items when they were marked or cut.
  async move(hrefs, to, at, chosen, section) {
    const order = /^(first|after:)/.test(at) ? [...hrefs].reverse() : hrefs
    const done = await this.attempt(async () => {
      const details = await this.#details(order, chosen)
      return batch(details.map(({href, fieldsVersion}) => ({move: href, to, at, section, ifMatch: fieldsVersion})))
    })
    if (!done) return
    order.forEach((href, index) => this.follow(Place.ofLink(href), Place.ofLink(done.edits[index].href)))
    this.app.announce(`${plural(hrefs.length, 'item')} moved.`)
  }

  cut(pane) {
    const {marked} = pane, hrefs = this.#chosen(pane)
    if (!hrefs.length) return
    this.#cut = new Map(hrefs.map(href => [href, marked.get(href) ?? readNow(href).catch(() => null)]))
    marked.clear()
    pane.redrawAll()
    tell(`${plural(hrefs.length, 'item')} cut. Open another level to move there.`, {seconds: 5})
  }

  async paste(pane) {
    const cut = this.#cut
    this.#cut = new Map()
    if (cut.size) await this.move([...cut.keys()], pane.place.level, 'last', cut)
    pane.redrawAll()
  }

  // Whether a detail is shown as a form. One with unsaved changes stays as it is, also where its item is gone.
  drawDetail(pane) {
    const {detail} = pane, form = this.drafts.get(pane.place.path) ?? pane.form
    if (!this.app.isEditing || !(detail || form?.isChanged) || isSetting({...detail, fields: detail && plain(dictionary(detail.fields))})) return false
    pane.form = form ?? new EditForm(this)
    pane.form.show(pane)
    if (pane.body.firstChild !== pane.form.element) pane.body.replaceChildren(pane.form.element)
    return true
  }
}

const hrefAt = element => element.closest('.item')?.dataset.href

const dictionary = value => ({type: 'dictionary', value})

// Whether two details are of one item that was not changed, wherever it is now.
const alike = (one, other) => same(...[one, other].map(each => each && [each.title, each.count, each.fields]))

// What is needed to put an item back: the whole of it as its file has it, with its exact types, and where it was.
async function snapshot(place, detail) {
  const {level: above} = place.parent
  const [item, {sections}] = await Promise.all(
    [readPlist(`/document/${place.path}?inline=false`), getJSON(above + '?limit=1&fields=')])
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
  #list = el('div')
  #note = el('p.problem')
  #buttons = el('div.buttons')
  #offered = null
  // The paths of the lists and dictionaries that are unfolded.
  #open = new Set()
  #isBusy = false
  #isGone = false

  constructor(editor) {
    this.editor = editor
    this.element = el('form.edit-form', {
      onsubmit: event => {
        event.preventDefault()
        if (!this.#isBusy) this.save()
      },
      onkeydown: event => {
        if (event.key !== 'Escape') event.stopPropagation()
      },
    }, this.#note, this.#list, this.#buttons)
  }

  // Shows a state of the item with nothing changed in it yet.
  #begin(detail, fields = detail.fields) {
    this.original = detail
    this.fields = structuredClone(fields)
    this.#list.replaceChildren(this.#parts(this.fields, ''))
    this.#offer()
  }

  // Goes on in a pane whose item was read again or is gone.
  show(pane) {
    const {detail} = pane
    this.pane = pane
    this.#isGone = !detail
    if (this.isChanged) return this.#offer()
    if (!this.fields || !same(this.fields, detail.fields)) return this.#begin(detail)
    this.original = detail
  }

  get isChanged() {
    return !same(this.fields, this.original?.fields)
  }

  // Save and revert are there once there is something to save. What is not saved yet is kept as a draft.
  #offer() {
    const {isChanged, editor: {drafts}} = this, {path} = Place.ofLink(this.original.href)
    if (isChanged) drafts.set(path, this)
    else if (drafts.get(path) === this) drafts.delete(path)
    const offered = [isChanged, this.#isBusy, this.#isGone].join()
    if (this.#offered === offered) return
    this.#offered = offered
    const hadFocus = hasFocus(this.#buttons)
    this.#note.textContent = this.#isGone ? 'This item was deleted or renamed meanwhile. What you typed is still here.' : ''
    this.#buttons.replaceChildren(
      ...(path && !this.#isGone ? [el('button.button.danger', {onclick: () => this.editor.remove(null, [this.original.href])}, 'Delete')] : []),
      ...(isChanged ? [
        el('button.button', {onclick: () => {
          this.#begin(this.original)
          this.pane.refresh()
        }}, this.#isGone ? 'Discard' : 'Revert'),
        el('button.button.main', {type: 'submit', disabled: this.#isBusy}, this.#isBusy ? 'Saving…' : this.#isGone ? 'Save as a new item' : 'Save'),
      ] : []))
    if (hadFocus) this.pane.heading.focus()
  }

  // The fields of the item or of a dictionary, or the elements of a list, which are changed in place.
  #parts(parts, path, isList) {
    const holder = el('div.fields')
    const draw = index => {
      holder.replaceChildren(...parts.map((part, index) => isList ? row(index, part, index) : row(...part, index)),
        el('button.plain', {onclick: add}, icon('add'), isList ? 'Add an element' : 'Add a field'))
      if (index === undefined) return
      this.#offer()
      holder.children[index].querySelector('input, textarea, summary, .plain')?.focus()
    }
    const row = (name, value, index) => el('div.field',
      value.type in INPUTS ? el('label', el('span', {dir: 'auto'}, name), INPUTS[value.type](value.value, next => {
        value.value = next
        this.#offer()
      })) : this.#folded(name, value, `${path}/${name}`),
      isList && index > 0 && iconButton('up', `Move ${name} up`, () => {
        parts.splice(index - 1, 0, ...parts.splice(index, 1))
        draw(index - 1)
      }),
      iconButton('close', `Remove the ${isList ? 'element' : 'field'} ${name}`, () => {
        parts.splice(index, 1)
        draw(Math.max(0, index - 1))
      }))
    const add = async () => {
      const name = el('input', {required: true, autocomplete: 'off', dir: 'auto', oninput: () => name.setCustomValidity(
        parts.some(([other]) => other === name.value) ? 'There is a field of this name.' : '')})
      const type = choiceField('Type', Object.entries(TYPES), 'string')
      if (!await ask(isList ? 'Add an element' : 'Add a field',
        [!isList && el('label', 'Name', name), el('label', 'Type', type)], ['Cancel', 'Add'])) return
      const value = {type: type.value, value: structuredClone(EMPTY[type.value])}
      draw(parts.push(isList ? value : [name.value, value]) - 1)
    }
    draw()
    return holder
  }

  // A list or a dictionary, whose parts are made when it is opened.
  #folded(name, part, path) {
    const isList = part.type === 'array'
    const element = el('details', {open: this.#open.has(path), ontoggle: () => {
      this.#open[element.open ? 'add' : 'delete'](path)
      if (element.open && element.children.length === 1) element.append(el('div.nested', this.#parts(part.value, path, isList)))
    }}, el('summary', {dir: 'auto'}, `${name}: ${plural(part.value.length, isList ? 'element' : 'field')}`))
    return element
  }

  // What is typed while it is being saved stays, and is not saved yet.
  async save(version = this.original.fieldsVersion, before = this.original.fields) {
    const sent = structuredClone(this.fields), isNew = this.#isGone
    this.#isBusy = true
    this.#offer()
    const failed = []
    const answer = await this.editor.attempt(() => this.#send(sent, before, version).catch(error => {
      if (error.status !== 412) throw error
      failed.push(error)
    }), ' What you typed is still here.')
    this.#isBusy = false
    if (answer) {
      const {original, pane, editor} = this, to = Place.ofLink(answer.href)
      editor.drafts.delete(Place.ofLink(original.href).path)
      this.original = {...original, fields: sent, fieldsVersion: answer.fieldsVersion, href: answer.href}
      if (isNew) editor.app.go(to, {replace: true})
      else editor.follow(pane.place, to)
      tell('Saved.', {seconds: 3})
      pane.refresh()
    }
    this.#offer()
    if (failed.length) await this.#resolve()
  }

  // A property list keeps every type and digit, but has no way to say in a patch that something goes: then JSON says it,
  // or the item is sent as a whole.
  async #send(fields, before, version) {
    const {href, isJSON} = this.original, now = new Map(fields), old = new Map(before), exact = {ifMatch: version, type: 'application/x-plist'}
    if (this.#isGone) {
      const {edits: [{href: made}]} = await batch([dictionary([
        ['insert', dictionary(fields)], ['to', {type: 'string', value: Place.ofLink(href).parent.level}]])], exact.type)
      return getJSON(made)
    }
    const changed = changes(fields, before)
    if (!isJSON && changed.every(name => now.has(name) && !loses(old.get(name), now.get(name)))) {
      return edit('PATCH', href, plist(dictionary(changed.map(name => [name, now.get(name)]))), exact)
    }
    if (isJSON || changed.every(name => !now.has(name))) {
      return edit('PATCH', href, members(fields, before), {ifMatch: version, type: 'application/merge-patch+json'})
    }
    return edit('PUT', href, plist(dictionary(fields)), exact)
  }

  // Shows both versions of what was changed on either side, and asks which to keep.
  async #resolve() {
    const theirs = await this.editor.attempt(() => readDetail(this.pane.place), ' What you typed is still here.')
    if (!theirs) return
    const mine = changes(this.fields, this.original.fields), others = changes(theirs.fields, this.original.fields)
    // Another order of the fields, or a type that JSON does not tell, is a version of its own, but no conflict.
    if (!others.length) return this.save(theirs.fieldsVersion)
    const names = new Set([...mine, ...others])
    const merged = new Map(theirs.fields), own = new Map(this.fields)
    const cell = value => el('td', {dir: 'auto'}, !value ? '(none)' : isNumber(value) ? number(value.value) : brief(plain(value)))
    const answer = await ask('It was changed meanwhile', [
      el('p', 'Someone else saved this item after you began. Which version is to stay?'),
      el('table.versions',
        el('thead', el('tr', ...['Field', 'Yours', 'Theirs'].map(each => el('th', {scope: 'col'}, each)))),
        el('tbody', ...Array.from(names, name =>
          el('tr', el('th', {scope: 'row', dir: 'auto'}, name), cell(own.get(name)), cell(merged.get(name)))))),
    ], ['Go on typing', 'Take theirs', 'Save mine'])
    if (!answer) return
    if (answer === 'Take theirs') {
      this.#begin(theirs)
      return this.pane.refresh()
    }
    for (const name of mine) own.has(name) ? merged.set(name, own.get(name)) : merged.delete(name)
    this.#begin(theirs, [...merged])
    await this.save(theirs.fieldsVersion, theirs.fields)
  }
}

// Whether a dictionary lacks something that was in it, or in one within it: a patch would leave that there.
const loses = (old, now) => old?.type === 'dictionary' && now.type === old.type && old.value.some(([name, value]) => {
  const next = new Map(now.value).get(name)
  return !next || loses(value, next)
})

// The names whose values are not those of another state of the item.
function changes(fields, other) {
  const before = new Map(other), after = new Map(fields)
  return [...new Set([...before.keys(), ...after.keys()])].filter(name => !same(before.get(name), after.get(name)))
}

// What makes some fields of others by a merge patch (RFC 7396): of dictionaries too, only what was changed in them.
function members(fields, other) {
  const before = new Map(other), after = new Map(fields)
  return `{${changes(fields, other).map(name => JSON.stringify(name) + ':' + literal(after.get(name), before.get(name)))}}`
}

// A value in JSON, numbers with every digit; `old` is what it takes the place of.
function literal(now, old) {
  if (!now) return 'null'
  const {type, value} = now
  if (type === 'array') return `[${value.map(each => literal(each))}]`
  if (type === 'dictionary') return members(value, old?.type === type ? old.value : [])
  return isNumber(now) && isFinite(value) ? value : JSON.stringify(value)
}

const isNumber = ({type}) => ['integer', 'real'].includes(type)

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
    if (isDrop && target) editor.move(hrefs, target.to, target.at, pane.marked)
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
