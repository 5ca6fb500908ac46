// Editing: the tools, marks and forms for heads, rows and details, once the user has given a token.

import {allowsEdits, askText, openPanel, reason} from './dialogs.js'
import {beginDrag, isMovable} from './dragging.js'
import {EditForm} from './edit-form.js'
import {alike, batch, dictionary, edit, keyOf, readNow, snapshot, spotOf} from './edits.js'
import {el, hasFocus, icon, iconButton, isSetting, plural, stop} from './elements.js'
import {FieldsStep, History, MoveStep, PresenceStep, ValueStep} from './history.js'
import {refuse, tell} from './messages.js'
import {itemPath, Place} from './place.js'
import {plain, readPlist} from './plist.js'
import {send} from './service.js'

// The name of the field that holds an item's title.
export const titleName = ({fields, title}) =>
  'Title' in fields ? 'Title' : Object.keys(fields).find(name => fields[name] === title) ?? 'Title'

// Resolves when the styles for editing have loaded, or could not be loaded.
export const styles = new Promise(resolve => document.head.append(el('link', {
  rel: 'stylesheet', href: import.meta.resolve('./editing.css'), onload: resolve, onerror: resolve})))

export class Editor {
  #cut = new Map()
  // The forms with unsaved changes, by the path of the item. Reloading or closing the web page discards the forms.
  drafts = new Map()

  history = new History(this)
  #draftsButton = el('button.plain', {hidden: true, onclick: () => this.#listDrafts()})

  constructor(app) {
    this.app = app
    document.querySelector('.bar').append(el('div.edit-bar', this.#draftsButton, this.history.element))
    addEventListener('beforeunload', event => this.drafts.size && event.preventDefault())
    addEventListener('keydown', event => this.#key(event), true)
    addEventListener('pointerdown', event => this.#pressed(event))
    addEventListener('click', event => this.#clicked(event), true)
  }

  // Whether the token allows edits. If it does not, a message is shown, except with `isForReading`.
  static async isAllowed(isForReading = false) {
    try {
      return await allowsEdits()
    } catch (error) {
      if (!isForReading) refuse(error.sentence)
      return false
    }
  }

  // Makes an edit, and returns the result. If the edit fails, shows a message and returns undefined.
  async attempt(action, kept = '', prefix = 'Not saved') {
    try {
      const answer = await action()
      document.querySelector('.refusal')?.remove()
      return answer
    } catch (error) {
      refuse(reason(error, prefix) + kept, 20)
    }
  }

  // MARK: Heads and rows

  updateHead(head) {
    const {pane} = head, version = pane.level.head?.version
    // Removes the marks of items that were deleted or changed.
    if (pane.marked.size && pane.checked !== version) this.#details([...pane.marked.keys()], pane.marked).catch(() => {})
    pane.checked = version
    const isShown = this.app.isEditing && pane === this.app.end && !pane.isSettings
    showTools(head.extra, isShown ? this.#levelTools(pane) : [])
  }

  #levelTools(pane) {
    const marked = pane.marked.size
    const some = (name, label, action, attributes) => iconButton(name, label, action, attributes)
    return [
      some('add', 'Add an item', () => this.add(pane)),
      ...(marked ? [
        some('edit', 'Rename', () => this.rename(pane), {disabled: marked > 1}),
        some('copy', 'Duplicate', () => this.duplicate(pane)),
        some('up', 'Move up', () => this.shift(pane, -1)),
        some('down', 'Move down', () => this.shift(pane, 1)),
        some('cut', 'Cut', () => this.cut(pane)),
        some('remove', 'Delete', () => this.remove(pane, this.#chosen(pane))),
        el('span.note', plural(marked, 'row')),
      ] : this.#cut.size ? [
        el('button.plain', {onclick: () => this.paste(pane)}, `Move ${plural(this.#cut.size, 'item')} here`),
        el('button.plain', {onclick: () => this.cancelCut()}, 'Cancel'),
      ] : [el('span.note', 'Mark rows to change them.')]),
    ]
  }

  // The tools for the item of a detail: to add an item below this item, and to duplicate or delete this item.
  #detailTools(pane) {
    const {place, detail} = pane, isRoot = place.segments.length === 0
    return [
      iconButton('add', 'Add an item', () => this.addTo(place)),
      ...(isRoot ? [] : [
        iconButton('copy', 'Duplicate', () => this.history.during(this.#copy([place]))),
        iconButton('remove', 'Delete', () => this.remove(null, [detail.href]), {className: 'tool apart'}),
      ]),
    ]
  }

  // Whether a row was cut, to be moved to another level.
  isCut(href) {
    return this.#cut.has(href)
  }

  cancelCut() {
    this.#cut = new Map()
    for (const pane of this.app.panes) pane.redrawAll()
  }

  // The elements that editing adds to a row: a mark, and a handle to drag the row.
  decorate({title}) {
    return [el('button.mark', {role: 'checkbox', ariaLabel: `Mark ${title}`, tabIndex: -1}), el('span.handle', {ariaHidden: true}, icon('move'))]
  }

  #paneOf(element) {
    return this.app.isEditing && this.app.panes.find(pane => pane.level && pane.element.contains(element))
  }

  #clicked(event) {
    const pane = this.#paneOf(event.target), href = hrefAt(event.target)
    if (!pane || !href || !(event.target.closest('.mark') || event.ctrlKey || event.metaKey || event.shiftKey)) return
    stop(event)
    this.mark(pane, href, event.shiftKey)
  }

  // Marks or unmarks a row, or marks a range. A mark keeps the item's detail, so that an edit can detect later changes.
  mark(pane, href, isRange) {
    const {marked, level} = pane, add = href => marked.has(href) || marked.set(href, readNow(Place.ofLink(href)).catch(() => null))
    const index = level.indexOf(href), last = isRange ? level.indexOf(this.last) : -1
    if (last >= 0) {
      for (const [each, row] of level.loaded()) if (each >= Math.min(index, last) && each <= Math.max(index, last)) add(row.href)
    } else if (!marked.delete(href)) add(href)
    this.last = href
    pane.redrawAll()
  }

  // Reads the present details of items. `chosen` has the details from the time when the items were marked or cut. If an
  // item has changed since that time, removes the item from `chosen` and throws.
  #details(hrefs, chosen) {
    return Promise.all(hrefs.map(async href => {
      const before = await chosen.get(href)
      const now = await readNow(Place.ofLink(href)).catch(error => {
        if (!error.status || !before) throw error
      })
      if (!before || alike(before, now)) return now
      chosen.delete(href)
      this.app.end.redrawAll()
      throw {status: 412, message: `“${before.title}” was changed, renamed or deleted since it was chosen. Choose again.`}
    }))
  }

  // Moves the focus to the row with a link or, without this row, to an index. A focus outside of the pane stays there.
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

  // The links of the marked rows, in the order of the rows; without marks, the link of the row that has the focus.
  #chosen(pane) {
    const marked = [...pane.level.loaded()].map(([, row]) => row.href).filter(href => pane.marked.has(href))
    const href = hasFocus(pane.element) && hrefAt(document.activeElement)
    return marked.length || !href ? marked : [href]
  }

  #key(event) {
    if ((event.ctrlKey || event.metaKey) && this.app.isEditing && !event.target.closest('input:not([type=checkbox]), select, textarea, dialog')) {
      const isRedo = event.key === 'y' || event.key === 'Z'
      if (isRedo || event.key === 'z') {
        stop(event)
        return isRedo ? this.history.redo() : this.history.undo()
      }
    }
    const pane = this.#paneOf(event.target), href = hrefAt(event.target)
    if (!pane || pane.isSettings || event.target.closest('input, select')) return
    const action = (event.altKey ? {ArrowUp: () => this.shift(pane, -1), ArrowDown: () => this.shift(pane, 1)}
      : event.ctrlKey || event.metaKey ? {x: () => this.cut(pane), v: () => this.paste(pane), d: () => this.duplicate(pane)} : {
        ...(this.#cut.size && {Escape: () => this.cancelCut()}),
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
    return this.addTo(pane.place, chosen && !pane.place.levelQuery ? 'after:' + keyOf(chosen) : 'last', pane)
  }

  // Adds an item to a level. If the item of the level is a leaf, it becomes a branch.
  addTo(place, at = 'last', pane = null) {
    return askText('Add an item', 'Title', '', 'Add', async title => {
      const name = await this.#titleName(place, pane)
      await this.#added(await batch([{insert: {[name]: title}, to: place.level, at}]))
      this.app.announce(`${title} is added.`)
    })
  }

  // The name of the field for titles in this document. It is read from the detail of a row; in a level without rows, from
  // the detail of the item itself.
  async #titleName(place, pane) {
    const [, row] = pane?.level.loaded().next().value ?? []
    return titleName(await readNow(row ? Place.ofLink(row.href) : place))
  }

  duplicate(pane) {
    return this.history.during(this.#copy(this.#chosen(pane).map(Place.ofLink)))
  }

  // Copies items with everything below them. The copies follow the last of the copied items.
  async #copy(places) {
    const made = await this.attempt(async () => {
      const steps = await Promise.all(places.map(async place => {
        const [item, detail] = await Promise.all([readPlist(`/document/${place.path}?inline=false`), readNow(place)])
        return dictionary([['insert', copied(item, titleName(detail))], ['to', {type: 'string', value: place.parent.level}],
          ['at', {type: 'string', value: 'after:' + keyOf(places.at(-1).path)}]])
      }))
      return batch(steps.reverse(), 'application/x-plist')
    })
    if (made) await this.#added(made.reverse(), 'duplicated')
  }

  async #added(places, verb = 'added') {
    const seen = await Promise.all(places.map(readNow)).catch(() => null)
    // If someone else has already deleted an item, the step cannot be undone.
    if (seen) this.history.push(new PresenceStep(places, {seen}, verb))
    const {end} = this.app
    if (end.level) this.#goOn(end, places.at(-1).detail)
    else end.refresh()
  }

  async rename(pane) {
    const [href] = this.#chosen(pane)
    if (!href) return
    const [detail] = await this.attempt(() => this.#details([href], pane.marked)) ?? []
    if (detail) await askText('Rename', 'Title', detail.title, 'Rename', title => this.#retitle(pane, detail, title))
  }

  async #retitle(pane, detail, title) {
    try {
      const name = titleName(detail), place = Place.ofLink(detail.href)
      const answer = await edit('PATCH', detail.href, {[name]: title}, {ifMatch: detail.fieldsVersion})
      const field = value => [[name, {type: 'string', value}]], to = Place.ofLink(answer.href)
      pane.marked.clear()
      this.history.push(new FieldsStep(place, false, field(detail.title), field(title), answer.fieldsVersion, `“${detail.title}” renamed.`))
      this.follow(place, to)
      this.app.announce(`Renamed to ${title}.`)
      this.#goOn(pane, answer.href)
    } catch (error) {
      if (error.status !== 412) throw error
      const {title: before} = detail
      Object.assign(detail, await readNow(Place.ofLink(detail.href)))
      // The version changes with every field, but only a change of the title is a conflict.
      if (detail.title !== before) throw {status: 412, message: `its title is “${detail.title}” now. Rename again to use yours.`}
      await this.#retitle(pane, detail, title)
    }
  }

  // Replaces the path of an item with the item's new path, in the history, in columns and in the address.
  follow(from, to) {
    if (from.path === to.path) return
    const moved = each => each.isWithin(from)
      ? new Place([...to.segments, ...each.segments.slice(from.segments.length)], each.query) : each
    this.history.follow(moved)
    for (const pane of this.app.panes) if (!pane.level && !pane.problem) pane.place = moved(pane.place)
    let place = moved(this.app.place)
    const {length} = place.segments, {shown} = place, open = place.value('expand')
    if (shown) place = place.showing(moved(shown))
    if (open) {
      const below = path => moved(new Place([...place.segments, ...path.split('/')])).segments.slice(length).join('/')
      place = place.setting({expand: open.split(',').map(below).join(',')})
    }
    if (place.address !== this.app.place.address) this.app.go(place, {replace: true})
  }

  remove(pane, hrefs) {
    return this.history.during(this.#remove(pane, hrefs))
  }

  async #remove(pane, hrefs) {
    if (!hrefs.length) return
    // An item below another deleted item is deleted with that item.
    const top = hrefs.filter(href => !hrefs.some(other => other !== href && Place.ofLink(href).isWithin(Place.ofLink(other))))
    const places = top.map(Place.ofLink)
    const kept = await this.attempt(async () => {
      const details = await this.#details(top, pane?.marked ?? new Map())
      const kept = await Promise.all(places.map((place, index) => snapshot(place, details[index])))
      await batch(details.map(({href, version}) => ({delete: href, ifMatch: version})))
      return kept
    })
    if (!kept) return
    for (const {path} of places) this.drafts.delete(path)
    this.showDrafts()
    const index = pane?.level.indexOf(hrefs[0])
    pane?.marked.clear()
    pane?.redrawAll()
    if (pane) this.#goOn(pane, '', index)
    this.#leave(places)
    const step = this.history.push(new PresenceStep(places, {kept}, 'deleted'))
    tell(step.text, {label: 'Undo', action: () => this.history.undo(step), seconds: 30})
  }

  // Adds the change of a control's value to the history when the value is stored. `sent`: the promise of the request.
  stored(row, value, sent) {
    const name = row.title || row.control.key || 'Value'
    const step = new ValueStep(Place.ofLink(row.href), row.control.value, value, `“${name}” changed.`)
    this.history.during(sent.then(() => this.history.push(step))).catch(() => {})
  }

  // Goes to the level above a deleted item if the shown place is the place of the item, or is below it.
  #leave(places) {
    const gone = places.find(each => this.app.place.isWithin(each))
    if (gone) this.app.go(this.app.place.prefix(gone.segments.length - 1), {replace: true, focus: 'selected'})
  }

  // Shows the result of a reversed step, whose items were moved, restored or deleted.
  reversed(step, before, text) {
    before.forEach((place, index) => this.follow(place, step.places[index]))
    if (step.kept) this.#leave(step.places)
    tell(text, {seconds: 4})
    const {end} = this.app
    if (end.level && end.place.path === step.places[0].parent?.path) this.#goOn(end, step.places[0].detail)
    for (const pane of this.app.panes) pane.refresh()
  }

  // Moves the chosen rows by one row; at the end of a section, into the next section. Quick key presses are handled one
  // after another.
  shift(pane, by) {
    this.#shifts = this.history.during(this.#shifts.then(() => this.#shift(pane, by)).then(() => pane.refresh()))
  }

  #shifts = Promise.resolve()

  async #shift(pane, by) {
    await pane.divided
    if (!isMovable(pane)) return
    const hrefs = this.#chosen(pane), index = pane.level.indexOf(hrefs.at(by < 0 ? 0 : -1))
    if (index < 0) return
    const {marked, list: {geometry: {sections}}, place: {level}} = pane, other = pane.level.row(index + by)
    const section = pane.list.geometry.sectionOfRow(index), {start, count} = sections[section]
    if (index !== (by < 0 ? start : start + count - 1)) {
      if (other) await this.move(hrefs, level, (by < 0 ? 'before:' : 'after:') + keyOf(other.href), marked)
    } else if (sections[section + by]) await this.move(hrefs, level, by < 0 ? 'last' : 'first', marked, section + by)
  }

  // `at`: 'first', 'last', 'before:KEY' or 'after:KEY'. The moved rows keep their order.
  // `chosen`: the details of the items from the time when they were marked or cut, by the items' links.
  move(hrefs, to, at, chosen, section) {
    return this.history.during(this.#move(hrefs, to, at, chosen, section))
  }

  async #move(hrefs, to, at, chosen, section) {
    const order = /^(first|after:)/.test(at) ? [...hrefs].reverse() : hrefs
    const done = await this.attempt(async () => {
      const details = await this.#details(order, chosen)
      const spots = await Promise.all(order.map((href, index) => spotOf(Place.ofLink(href), details[index])))
      const made = await batch(details.map(({href, fieldsVersion}) => ({move: href, to, at, section, ifMatch: fieldsVersion})))
      return {details, spots, made}
    })
    if (!done) return
    const steps = order.map((_, index) => index)
    if (order !== hrefs) steps.reverse()
    const inOrder = list => steps.map(index => list[index])
    order.forEach((href, index) => this.follow(Place.ofLink(href), done.made[index]))
    this.history.push(new MoveStep(inOrder(done.made), inOrder(done.spots), inOrder(done.details)))
    this.app.announce(`${plural(hrefs.length, 'item')} moved.`)
  }

  cut(pane) {
    const {marked} = pane, hrefs = this.#chosen(pane)
    if (!hrefs.length) return
    this.#cut = new Map(hrefs.map(href => [href, marked.get(href) ?? readNow(Place.ofLink(href)).catch(() => null)]))
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

  // MARK: Drafts

  showDrafts() {
    this.#draftsButton.hidden = this.drafts.size === 0
    this.#draftsButton.textContent = `${this.drafts.size} unsaved`
  }

  // Lists the forms with unsaved changes, including the forms of items that are gone.
  #listDrafts() {
    openPanel(this.#draftsButton, 'Unsaved changes', [...this.drafts].map(([path, form]) => {
      const place = new Place(path.split('/'))
      const line = el('div.line', el('a', {href: place.address}, el('bdi', form.original.title || 'Untitled')),
        el('button.plain', {ariaLabel: `Discard the changes of ${form.original.title}`, onclick: () => {
          form.discard()
          line.remove()
          if (!this.drafts.size) document.querySelector('.panel')?.hidePopover()
        }}, 'Discard'))
      return line
    }))
  }

  // Shows a detail as a form if the detail can be edited, and returns whether a form is shown. A form with unsaved
  // changes stays, even if the item is gone.
  drawDetail(pane) {
    const {detail} = pane, form = this.drafts.get(pane.place.path) ?? pane.form
    const isSettings = isSetting({...detail, fields: detail && plain(dictionary(detail.fields))})
    if (pane.tools) showTools(pane.tools, this.app.isEditing && detail && !isSettings ? this.#detailTools(pane) : [])
    if (!this.app.isEditing || !(detail || form?.isChanged) || isSettings) return false
    pane.form = form ?? new EditForm(this)
    pane.form.show(pane)
    if (pane.body.firstChild !== pane.form.element) pane.body.replaceChildren(pane.form.element)
    return true
  }
}

const hrefAt = element => element.closest('.item')?.dataset.href

// Shows tools in place of others. If a tool has the focus, the new tool with the same label gets the focus.
function showTools(holder, tools) {
  const focused = hasFocus(holder) && document.activeElement.ariaLabel
  holder.replaceChildren(...(tools.length ? [el('div.edit-tools', {role: 'toolbar', ariaLabel: 'Editing'}, ...tools)] : []))
  if (focused) holder.querySelector(`[aria-label="${focused}"]:enabled`)?.focus()
}

// Returns a copy of an item as a property list, without the key, and with “copy” after the title.
function copied(item, titleName) {
  if (item.type !== 'dictionary') return {...item, value: item.value + ' copy'}
  return dictionary(item.value.filter(([name]) => name !== 'Key')
    .map(([name, value]) => [name, name === titleName && value.type === 'string' ? {...value, value: value.value + ' copy'} : value]))
}
