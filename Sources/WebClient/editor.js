// Editing: the tools, marks and forms for heads, rows and details, once the user has given a token.

import {allowsEdits, askText, openPanel, reason} from './dialogs.js'
import {beginDrag, isMovable} from './dragging.js'
import {EditForm} from './edit-form.js'
import {batch, deleteAll, dictionary, edit, fixed, inTurn, keyOf, lastBatch, moveAll, readItem, readNow, snapshots,
  spotIn} from './edits.js'
import {coalesced, count, el, hasFocus, icon, iconButton, isSetting, on, plural, stop} from './elements.js'
import {FieldsStep, History, MoveStep, PresenceStep, textOf, ValueStep} from './history.js'
import {inOrder, markOf, presentDetails, rangeOf} from './marks.js'
import {refuse, tell} from './messages.js'
import {itemPath, Place} from './place.js'
import {plain, readDetail} from './plist.js'
import {live, send} from './service.js'

// The name of the field that holds an item's title.
export const titleName = ({fields, title}) =>
  'Title' in fields ? 'Title' : Object.keys(fields).find(name => fields[name] === title) ?? 'Title'

// Resolves when the styles for editing have loaded, or could not be loaded.
export const styles = new Promise(resolve => document.head.append(el('link', {
  rel: 'stylesheet', href: import.meta.resolve('./editing.css'), onload: resolve, onerror: resolve})))

// Edits of more items tell how far they are.
const LONG = 200

export class Editor {
  // The marks of the rows that were cut, by the paths of the items.
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
    on(live, 'change', ({detail}) => this.#changed(detail))
    on(live, 'reset', () => this.#changed({truncated: true}))
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

  updateHead(head) {
    const {pane} = head
    const isShown = this.app.isEditing && pane === this.app.end && !pane.isSettings
    showTools(head.extra, isShown ? this.#levelTools(pane) : [])
    this.offer()
  }

  // Whether a column shows what the address names. While something else is read, it does not.
  isCurrent({isRead, isLeaving, isAsking}) { return isRead && !isLeaving && !isAsking }

  // Offers editing only beside content that is current. While a place is read, no level is the open one.
  offer() {
    const {isReading, isEditing, panes} = this.app
    for (const pane of panes) {
      const isPast = isEditing && !this.isCurrent(pane)
      if (pane.level) pane.head.extra.inert = isPast || isReading
      else for (const part of [pane.tools, pane.body]) if (part) part.inert = isPast
    }
  }

  #levelTools(pane) {
    const marked = pane.marked.size
    const some = (name, label, action, attributes) => iconButton(name, label, action, attributes)
    return [
      some('add', 'Add an item', () => this.add(pane)),
      ...(marked ? [
        some('edit', 'Rename', () => this.rename(pane), {disabled: marked > 1}),
        some('copy', 'Duplicate', () => this.duplicate(this.#chosen(pane), pane.marked)),
        some('up', 'Move up', () => this.shift(pane, -1)),
        some('down', 'Move down', () => this.shift(pane, 1)),
        some('cut', 'Cut', () => this.cut(pane)),
        some('remove', 'Delete', () => this.remove(pane, this.#chosen(pane))),
        el('span.note', `${count(marked)} of ${count(pane.level.count)}`),
      ] : this.#cut.size ? [
        el('button.plain', {onclick: () => this.paste()}, `Move ${plural(this.#cut.size, 'item')} here`),
        el('button.plain', {onclick: () => this.cancelCut()}, 'Cancel'),
      ] : [el('span.note', 'Mark rows to change them.'),
        el('button.plain', {onclick: () => this.markAll(pane)}, 'Select all')]),
    ]
  }

  // The tools for the item of a detail: to add an item below this item, and to duplicate or delete this item.
  #detailTools(pane) {
    const {place, detail} = pane, isRoot = place.segments.length === 0, marks = [{place, index: 0, seen: detail}]
    return [
      iconButton('add', 'Add an item', () => this.addTo(place)),
      ...(isRoot ? [] : [
        iconButton('copy', 'Duplicate', () => this.duplicate(marks)),
        iconButton('remove', 'Delete', () => this.remove(null, marks), {className: 'tool apart'}),
      ]),
    ]
  }

  // Whether a row was cut, to be moved to another level.
  isCut(path) { return this.#cut.has(path) }

  cancelCut() {
    this.#cut = new Map()
    for (const pane of this.app.panes) pane.redrawAll()
  }

  // The elements that editing adds to a row: a mark, and a handle to drag the row.
  decorate({title}) {
    return [el('button.mark', {role: 'checkbox', ariaLabel: `Mark ${title}`, tabIndex: -1}),
      el('span.handle', {ariaHidden: true}, icon('move'))]
  }

  #paneOf(element) {
    return this.app.isEditing
      && this.app.panes.find(pane => pane.level && pane.element.contains(element) && this.isCurrent(pane))
  }

  #clicked(event) {
    const pane = this.#paneOf(event.target), href = hrefAt(event.target)
    if (!pane || !href || !(event.target.closest('.mark') || event.ctrlKey || event.metaKey || event.shiftKey)) return
    stop(event)
    this.mark(pane, href, event.shiftKey)
  }

  // Marks or unmarks a row, or marks the rows from the row that was marked last.
  async mark(pane, href, isRange) {
    const {marked, level, lastMark} = pane, index = level.indexOf(href), path = itemPath(href)
    if (index < 0) return
    pane.lastMark = {href, index}
    if (isRange && lastMark) {
      const range = await this.attempt(() => rangeOf(level, lastMark, pane.lastMark), '', 'Not marked')
      // Meanwhile the rows may have become those of another query.
      for (const mark of pane.place.target === level.place.target ? range ?? [] : []) {
        if (!marked.has(mark.place.path)) marked.set(mark.place.path, mark)
      }
    } else if (!marked.delete(path)) marked.set(path, markOf(level, index))
    pane.redrawAll()
  }

  // Marks all rows of a level, also those that were not read.
  async markAll(pane) {
    const {level, marked} = pane, rows = await this.attempt(() => level.range(0, level.count - 1), '', 'Not marked')
    if (pane.level !== level) return
    for (const [index, row] of rows?.entries() ?? [])
      marked.set(itemPath(row.href), {place: Place.ofLink(row.href), index, seen: Promise.resolve(row)})
    pane.redrawAll()
  }

  #unmark(pane) {
    pane.marked.clear()
    pane.redrawAll()
  }

  // Removes the marks of items that were deleted or changed, after the edits of this tab, which may concern many.
  #changed(entry) {
    this.#entries.push(entry)
    this.#check()
  }

  #entries = []

  #check = coalesced(async () => {
    await this.history.settled
    const entries = this.#entries.splice(0), named = new Set(entries.flatMap(({details = []}) => details.map(itemPath)))
    const isAny = entries.some(({truncated}) => truncated)
    await Promise.all(this.app.panes.map(pane => {
      const marks = [...pane.marked ?? []].filter(([path]) => isAny || named.has(path)).map(([, mark]) => mark)
      return marks.length && this.#details(marks, pane.marked).catch(() => {})
    }))
  })

  // Reads the present details of marked items; see `presentDetails`.
  #details(chosen, marks) {
    return presentDetails(chosen, marks).catch(error => {
      for (const pane of this.app.panes) if (pane.level) pane.redrawAll()
      throw error
    })
  }

  // Moves the focus to the row of an item or, without this row, to an index. A focus outside of the pane stays there.
  async #goOn(pane, place, index = 0) {
    await pane.refresh()
    if (document.activeElement !== document.body && !hasFocus(pane.element)) return
    const found = place ? await pane.indexTowards(place) : -1
    pane.focusRow(found < 0 ? index : found)
  }

  #pressed(event) {
    const pane = event.target.closest('.handle') && this.#paneOf(event.target),
      index = pane ? pane.list.indexOf(event.target) : -1
    if (pane?.level.row(index)) beginDrag(event, this, pane, this.chosenAt(pane, index))
  }

  // The marks to edit with a row: those of the pane if the row is marked, otherwise a mark for the row alone.
  chosenAt({marked, level}, index) {
    return marked.has(itemPath(level.row(index).href)) ? inOrder(marked, level) : [markOf(level, index)]
  }

  // The marks of a pane, in the order of the rows; without marks, a mark for the row that has the focus. A row that has
  // the focus but cannot be seen is shown instead.
  #chosen({marked, level, list, element}) {
    if (marked.size) return inOrder(marked, level)
    const index = hasFocus(element) ? list.indexOf(document.activeElement) : -1, {first, last} = list.visible
    if (index < 0 || !level.row(index)) return []
    if (index >= first && index <= last) return [markOf(level, index)]
    list.focus(index)
    return []
  }

  #key(event) {
    if ((event.ctrlKey || event.metaKey) && this.app.isEditing
      && !event.target.closest('input:not([type=checkbox]), select, textarea, dialog')) {
      const isRedo = event.key === 'y' || event.key === 'Z'
      if (isRedo || event.key === 'z') {
        stop(event)
        return isRedo ? this.history.redo() : this.history.undo()
      }
    }
    const pane = this.#paneOf(event.target), href = hrefAt(event.target)
    if (!pane || pane.isSettings || event.target.closest('input, select')) return
    const action = (event.altKey ? {ArrowUp: () => this.shift(pane, -1), ArrowDown: () => this.shift(pane, 1)}
      : event.ctrlKey || event.metaKey ? {a: () => this.markAll(pane), x: () => this.cut(pane), v: () => this.paste(),
        d: () => this.duplicate(this.#chosen(pane), pane.marked)} : {
        ...(this.#cut.size ? {Escape: () => this.cancelCut()} : pane.marked.size && {Escape: () => this.#unmark(pane)}),
        Delete: () => this.remove(pane, this.#chosen(pane)), F2: () => this.rename(pane), Insert: () => this.add(pane),
        ' ': href && (() => this.mark(pane, href, event.shiftKey)),
      })[event.key]
    if (!action) return
    stop(event)
    action()
  }

  // Makes an edit of many items in batches, from the last item to the first: `change` edits as many of the last items
  // as one batch can edit, and resolves to a step for the history. After a failure, a message says how many items are
  // done, and the others stay marked. Resolves to the steps.
  async #inBatches(chosen, marks, verb, change) {
    const steps = [], total = chosen.length, operation = Symbol()
    // If a batch takes only a few of the items, the next is made of at most twice as many.
    let most = total
    chosen = [...chosen]
    while (chosen.length) {
      const done = total - chosen.length, progress = `${count(done)} of ${plural(total, 'item')} are ${verb}.`
      if (total > LONG) tell(progress, {seconds: 60})
      const step = await this.attempt(async () => {
        const part = lastBatch(chosen.slice(-most)), details = await this.#details(part, marks),
          byPath = new Map(part.map(mark => [mark.place.path, mark]))
        chosen.splice(-part.length, part.length, ...details.map(({href}) => byPath.get(Place.ofLink(href).path)))
        return change(details, chosen)
      }, done ? ' ' + progress : '')
      if (!step) break
      most = 2 * step.places.length
      chosen = chosen.slice(0, -step.places.length)
      steps.push(this.history.push(step, operation))
    }
    if (total > LONG && !chosen.length) tell(`${plural(total, 'item')} ${verb}.`, {seconds: 4})
    return steps
  }

  add(pane) {
    const chosen = this.#chosen(pane).at(-1)
    return this.addTo(pane.place, chosen && !pane.place.levelQuery ? 'after:' + keyOf(chosen.place.path) : 'last', pane)
  }

  // Adds an item to a level. If the item of the level is a leaf, it becomes a branch.
  addTo(place, at = 'last', pane = null) {
    return askText('Add an item', 'Title', '', 'Add', async title => {
      const [, row] = pane?.level.loaded().next().value ?? [], sibling = row && Place.ofLink(row.href)
      const name = titleName(await readNow(sibling ?? place)),
        made = await batch([{insert: {[name]: title}, to: place.level, at}])
      this.history.push(await this.#presence(made, 'added'))
      this.#showMade(made[0]).then(() => sibling && this.#suggest(made[0], sibling, name))
      this.app.announce(`${title} is added.`)
    })
  }

  // The fields that the forms of added items offer, by the paths of the items. Those that stay empty are not sent.
  suggested = new Map()

  // Opens an item that was added in the inspector, where its form offers the fields of a sibling.
  async #suggest(place, sibling, titleName) {
    if (!this.app.isWide) return
    const fields = (await readDetail(sibling)).fields.filter(([name, {type}]) =>
      ![titleName, 'Key'].includes(name) && !['array', 'dictionary'].includes(type))
    if (!fields.length) return
    const empty = ([name, {type}]) => [name, {type, value: type === 'boolean' ? false : ''}]
    this.suggested.set(place.path, fields.map(empty))
    this.app.go(place, {isBrowsing: true})
  }

  duplicate(chosen, marks = new Map()) {
    return this.history.during(this.#duplicate(chosen, marks))
  }

  // Copies items with everything below them. The copies follow the last of the copied items of their level.
  async #duplicate(chosen, marks) {
    const last = new Map(chosen.map(({place}) => [place.parent.path, keyOf(place.path)])),
      text = value => ({type: 'string', value})
    const steps = await this.#inBatches(chosen, marks, 'duplicated', async details => {
      const copies = lastBatch(await inTurn(details, async detail => {
        const {parent} = Place.ofLink(detail.href),
          item = copied(await readItem(Place.ofLink(detail.href)), titleName(detail))
        return dictionary([['insert', item], ['to', text(parent.level)],
          ['at', text('after:' + last.get(parent.path))]])
      }))
      return this.#presence((await batch(copies.reverse(), 'application/x-plist')).reverse(), 'duplicated')
    })
    if (steps.length) this.#showMade(steps[0].places.at(-1))
  }

  // The step for items that were added. An item that is gone already is not deleted when the step is undone.
  async #presence(places, verb) {
    return new PresenceStep(places,
      {seen: await inTurn(places, place => readNow(place).catch(() => ({title: place.name, count: 0})))}, verb)
  }

  #showMade(place) {
    const {end} = this.app
    return end.level ? this.#goOn(end, place) : end.refresh()
  }

  async rename(pane, chosen = this.#chosen(pane)) {
    if (chosen.length !== 1) return
    const [detail] = await this.attempt(() => this.#details(chosen, pane.marked)) ?? []
    if (detail) await askText('Rename', 'Title', detail.title, 'Rename', title => this.#retitle(pane, detail, title))
  }

  async #retitle(pane, detail, title) {
    try {
      const name = titleName(detail), place = Place.ofLink(detail.href)
      const answer = await edit('PATCH', detail.href, {[name]: title}, {ifMatch: detail.fieldsVersion})
      const field = value => [[name, {type: 'string', value}]], to = Place.ofLink(answer.href)
      pane.marked.clear()
      this.history.push(new FieldsStep(place, false, field(detail.title), field(title), answer.fieldsVersion,
        `“${detail.title}” renamed.`))
      this.follow([[place, to]])
      this.app.announce(`Renamed to ${title}.`)
      this.#goOn(pane, to)
    } catch (error) {
      if (error.status !== 412) throw error
      const {title: before} = detail
      Object.assign(detail, await readNow(Place.ofLink(detail.href)))
      // The version changes with every field, but only a change of the title is a conflict.
      if (detail.title !== before)
        throw {status: 412, message: `its title is “${detail.title}” now. Rename again to use yours.`}
      await this.#retitle(pane, detail, title)
    }
  }

  // Replaces the paths of items with their new paths, in the history, in columns and in the address. `pairs`: [from,
  // to].
  follow(pairs) {
    const following = pairs => {
      const paths = new Map(pairs.map(([from, to]) => [from.path, to]))
      return each => {
        for (let {length} = each.segments; length; length--) {
          const to = paths.get(each.segments.slice(0, length).join('/'))
          if (to) return new Place([...to.segments, ...each.segments.slice(length)], each.query)
        }
        return each
      }
    }
    // When a step is undone, siblings of one name have the numbers again that they had after the step.
    const moved = following(pairs), nameOf = ({path}) => path.replace(/~\d+$/, '')
    this.history.follow(following(pairs.filter(([from, to]) => nameOf(from) !== nameOf(to))))
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

  remove(pane, chosen) { return this.history.during(this.#remove(pane, chosen)) }

  async #remove(pane, chosen) {
    const marks = pane?.marked ?? new Map(), paths = new Set(chosen.map(({place}) => place.path))
    // An item below another deleted item is deleted with that item.
    const top = chosen.filter(({place: {segments}}) =>
      !segments.some((_, length) => paths.has(segments.slice(0, length).join('/'))))
    const steps = await this.#inBatches(top, marks, 'deleted', async details => {
      const kept = lastBatch(await snapshots(details)), gone = details.slice(-kept.length),
        places = gone.map(({href}) => Place.ofLink(href))
      await deleteAll(gone)
      for (const {path} of places) for (const map of [marks, this.drafts]) map.delete(path)
      return new PresenceStep(places, {kept}, 'deleted')
    })
    if (!steps.length) return
    const places = steps.flatMap(step => step.places), isWhole = places.length === top.length
    if (isWhole) marks.clear()
    this.showDrafts()
    pane?.redrawAll()
    if (pane) this.#goOn(pane, null, chosen[0].index)
    this.#leave(places)
    // Otherwise the message about the failure stays.
    if (isWhole) tell(textOf(steps), {label: 'Undo', seconds: 30, action: () => this.history.undo(steps[0].operation)})
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
  reversed(step, before) {
    this.follow(before.map((place, index) => [place, step.places[index]]))
    if (step.kept) this.#leave(step.places)
    const {end} = this.app
    if (end.level && end.place.path === step.places[0].parent?.path) this.#goOn(end, step.places[0])
    for (const pane of this.app.panes) pane.refresh()
  }

  // Moves the chosen rows by one row, also into the next section. Quick key presses are handled in turn.
  shift(pane, by) {
    this.#shifts = this.history.during(this.#shifts.then(() => this.#shift(pane, by)).then(() => pane.refresh()))
  }

  #shifts = Promise.resolve()

  async #shift(pane, by) {
    await pane.divided
    if (!isMovable(pane)) return
    const chosen = this.#chosen(pane), edge = chosen.at(by < 0 ? 0 : -1), {sections} = pane.list.geometry,
      above = pane.place
    const [detail] = edge ? await this.attempt(() => this.#details([edge], pane.marked)) ?? [] : []
    if (!detail) return
    const {position: {section, index}, previous, next} = detail, other = sections[section + by]
    // The level has more sections than were read. It is read again after each shift.
    if (!sections[section]) return
    const {start, count} = sections[section]
    const before = previous && Place.ofLink(previous.href), after = next && Place.ofLink(next.href)
    if (index !== (by < 0 ? start : start + count - 1))
      return this.move(chosen, by < 0 ? {above, before} : {above, after, section: null}, pane.marked)
    if (other)
      await this.move(chosen, {above, after: by < 0 && other.count ? before : null,
        section: by < 0 && other.count ? null : section + by}, pane.marked)
  }

  // Moves items to a target, as in `spotIn`. The moved rows keep their order, and stay marked on their own level.
  move(chosen, target, marks) { return this.history.during(this.#move(chosen, target, marks)) }

  async #move(chosen, target, marks) {
    const unknown = new Map(chosen.map(({place}) => [place.path, null])), stay = []
    let spot = await this.attempt(async () => fixed(await spotIn(target), unknown))
    if (!spot) return
    const steps = await this.#inBatches(chosen, marks, 'moved', async (details, left) => {
      const others = [...left, ...stay], {above, after} = spot
      const {made, back, others: [to, behind, ...now]} = await moveAll(
        details, details.map(() => spot), !('after' in target || target.before),
          [above, after, ...others.map(({place}) => place)])
      const first = left.length - made.length, places = left.slice(first).map(({place}) => place)
      spot = {...spot, above: to, after: behind}
      now.splice(first, made.length, ...made)
      const marked = others.map(({place}) => marks.delete(place.path))
      others.forEach((mark, index) => {
        const isMoved = index >= first && index < left.length, stays = mark.place.parent.path === above.path
        mark.place = now[index]
        if (marked[index] && !isMoved) marks.set(mark.place.path, mark)
        else if (marked[index] && stays) stay.push(mark)
      })
      this.follow(places.map((place, index) => [place, made[index]]))
      return new MoveStep(made, back, details.slice(-made.length))
    })
    if (this.app.panes.some(({marked}) => marked === marks)) for (const mark of stay) marks.set(mark.place.path, mark)
    if (!steps.length) return
    const text = textOf(steps), [{operation, spots}] = steps
    if (spots[0].above.path === spot.above.path) return this.app.announce(text)
    tell(`${text.slice(0, -1)} to “${spot.above.name || this.app.titled(spot.above)}”.`,
      {label: 'Undo', seconds: 30, action: () => this.history.undo(operation)})
  }

  cut(pane) {
    const chosen = this.#chosen(pane)
    if (!chosen.length) return
    this.#cut = new Map(chosen.map(mark => [mark.place.path, mark]))
    pane.marked.clear()
    pane.redrawAll()
    tell(`${plural(chosen.length, 'item')} cut. Open another level to move there.`, {seconds: 5})
  }

  // Moves the rows that were cut into the open level. Rows that cannot be moved stay cut.
  async paste() {
    const cut = this.#cut, {end, isReading} = this.app
    if (!cut.size || isReading || !end.level || !this.isCurrent(end)) return
    this.#cut = new Map()
    await this.move([...cut.values()], {above: end.place}, cut)
    if (cut.size && !this.#cut.size) this.#cut = cut
    for (const pane of this.app.panes) pane.redrawAll()
  }

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

  // Shows a detail as a form if it can be edited; returns whether it does. A form with unsaved changes stays.
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
  holder.replaceChildren(...(tools.length ? [el('div.edit-tools', {role: 'toolbar', ariaLabel: 'Editing'}, ...tools)]
    : []))
  if (focused) holder.querySelector(`[aria-label="${focused}"]:enabled`)?.focus()
}

// Returns a copy of an item as a property list, without the key, and with “copy” after the title.
function copied(item, titleName) {
  if (item.type !== 'dictionary') return {...item, value: item.value + ' copy'}
  return dictionary(item.value.filter(([name]) => name !== 'Key')
    .map(([name, value]) =>
      [name, name === titleName && value.type === 'string' ? {...value, value: value.value + ' copy'} : value]))
}
