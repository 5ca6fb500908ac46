// Undo and redo: the steps of this tab, each of which can reverse itself.

import {alike, deleteAll, fixedSpots, insertBack, inTurn, moveAll, readNow, sendFields, snapshots} from './edits.js'
import {el, iconButton, plural} from './elements.js'
import {Place} from './place.js'
import {send} from './service.js'

// The maximum number of kept steps.
const KEPT = 100

// A step has `text`, a sentence about the edit, and `reverse()`, which undoes the edit and turns the step into its
// opposite. When an item gets another path, the places of the item in all steps are replaced.
export class History {
  #past = []
  #future = []
  #undo = iconButton('undo', 'Undo', () => this.undo())
  #redo = iconButton('redo', 'Redo', () => this.redo())
  element = el('div.tools', this.#undo, this.#redo)

  constructor(editor) {
    this.editor = editor
    this.#update()
  }

  push(step) {
    this.#past.push(step)
    if (this.#past.length > KEPT) this.#past.shift()
    this.#future = []
    this.#update()
    return step
  }

  // `steps`: the steps that a notice offers to undo, the latest last; without it, the latest step is undone. Resolves to
  // whether nothing is left that can be undone.
  undo(steps) {
    return this.#inTurn(async () => {
      for (const step of [...steps ?? this.#past.slice(-1)].reverse()) {
        if (this.#past.includes(step) && !await this.#reverse(step, this.#past, this.#future, 'Undone')) return !this.#past.includes(step)
      }
      return true
    })
  }

  redo() {
    return this.#inTurn(() => this.#reverse(this.#future.at(-1), this.#future, this.#past, 'Redone'))
  }

  // Runs actions one after another, in the order of the key presses.
  #inTurn(action) {
    return this.#latest = this.#latest.then(action)
  }

  #latest = Promise.resolve()
  #unanswered = 0

  // Resolves when the edits until now are answered.
  get settled() {
    return this.#latest
  }

  // Makes undo and redo wait until an edit is answered. `edit`: a promise that settles after the step of the edit was
  // pushed.
  during(edit) {
    this.#unanswered++
    this.#update()
    const over = edit.catch(() => {}).then(() => {
      this.#unanswered--
      this.#update()
    })
    this.#latest = Promise.all([this.#latest, over]).then(() => {})
    return edit
  }

  // Reverses a step. If the reversal is refused (404, 409, 412), the step is removed. After any other failure, the
  // reversal can be tried again. Resolves to whether the step was reversed.
  async #reverse(step, from, to, word) {
    if (!from.includes(step)) return false
    let isRefused = false
    const before = [...step.places]
    const isDone = await this.editor.attempt(() => step.reverse().then(() => true, error => {
      isRefused = [404, 409, 412].includes(error.status)
      if (isRefused && error.status !== 409) throw Object.assign(new Error('someone else has changed the item since.'), {status: 412})
      throw error
    }), '', word === 'Undone' ? 'Not undone' : 'Not redone')
    if (isDone || isRefused) from.splice(from.indexOf(step), 1)
    if (isDone) {
      to.push(step)
      this.editor.reversed(step, before, `${word}: ${step.text}`)
    }
    this.#update()
    return isDone
  }

  follow(moved) {
    for (const step of [...this.#past, ...this.#future]) Object.assign(step, followed({...step}, moved))
  }

  #update() {
    for (const [button, steps, label] of [[this.#undo, this.#past, 'Undo'], [this.#redo, this.#future, 'Redo']]) {
      button.ariaDisabled = steps.length || this.#unanswered && label === 'Undo' ? null : 'true'
      button.title = steps.length ? `${label}: ${steps.at(-1).text}` : label
    }
  }
}

// Replaces the places in a value. Values of documents have a `type` and do not contain places, so they do not change.
function followed(value, moved) {
  if (value instanceof Place) return moved(value)
  if (Array.isArray(value)) return value.map(each => followed(each, moved))
  if (value?.constructor !== Object || 'type' in value) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, followed(each, moved)]))
}

const conflict = () => Object.assign(new Error('changed'), {status: 412})

const quoted = (items, verb) => `${items.length === 1 ? `“${items[0].title || 'Untitled'}”` : plural(items.length, 'item')} ${verb}.`

// Reads the details of items. Throws a conflict if an item is not as it was seen.
const unchanged = (places, seen) => inTurn(places.map((place, index) => [place, seen[index]]), async ([place, seen]) => {
  const now = await readNow(place)
  if (seen && !alike(seen, now)) throw conflict()
  return now
})

// A change of one item's fields.
export class FieldsStep {
  places; isJSON; states; tag; text

  constructor(place, isJSON, before, after, tag, text) {
    Object.assign(this, {places: [place], isJSON, states: {type: 'states', before, after}, tag, text})
  }

  async reverse() {
    const {before, after} = this.states
    const {href, fieldsVersion} = await sendFields({place: this.places[0], isJSON: this.isJSON}, before, after, this.tag)
    this.states = {type: 'states', before: after, after: before}
    this.tag = fieldsVersion
    this.places = [Place.ofLink(href)]
  }
}

// A change of a control's value.
export class ValueStep {
  places; states; text

  constructor(place, before, after, text) {
    Object.assign(this, {places: [place], states: {type: 'states', before, after}, text})
  }

  async reverse() {
    const [place] = this.places, {before, after} = this.states
    const {control, version} = await readNow(place)
    if (control.value !== after) throw conflict()
    await send('PATCH', place.detail, {Value: before}, {ifMatch: version})
    this.states = {type: 'states', before: after, after: before}
  }
}

// The addition of items (`seen` has the details of the items), or the deletion of items (`kept` has their snapshots).
export class PresenceStep {
  places; seen; kept; text

  constructor(places, {seen = null, kept = null}, verb) {
    Object.assign(this, {places, seen: {type: 'seen', details: seen}, kept, text: quoted(seen ?? kept, verb)})
  }

  async reverse() {
    const {places, kept} = this
    if (kept) {
      const made = await insertBack(kept)
      this.kept = null
      // A later reversal requires the items to be as they are now. The state of an item that cannot be read now is not
      // checked.
      this.seen = {type: 'seen', details: await inTurn(made, place => readNow(place).catch(() => null))}
      this.places = made
      return
    }
    const now = await unchanged(places, this.seen.details)
    const gone = await snapshots(now)
    await deleteAll(now)
    this.kept = gone
  }
}

// A move of items, in the order of the document. `spots`: the positions from which the items were moved, as in
// `fixedSpots`.
export class MoveStep {
  places; spots; seen; text

  constructor(places, spots, seen) {
    Object.assign(this, {places, spots, seen: {type: 'seen', details: seen}, text: quoted(seen, 'moved')})
  }

  async reverse() {
    const {places, spots} = this, now = await unchanged(places, this.seen.details), back = await fixedSpots(now)
    const made = await moveAll(spots.map((spot, index) => ({...spot, place: places[index], tag: now[index].fieldsVersion})), true)
    this.spots = back
    this.places = made
  }
}
