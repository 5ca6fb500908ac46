// Undo and redo: the steps of this tab, each of which can reverse itself.

import {alike, deleteAll, insertBack, inTurn, moveAll, readNow, sendFields, snapshots} from './edits.js'
import {count, el, iconButton, plural} from './elements.js'
import {tell} from './messages.js'
import {Place} from './place.js'
import {send} from './service.js'

// The maximum number of operations that can be undone.
const KEPT = 100

// A step has `text`, a sentence about the edit, and `reverse()`, which undoes the edit and turns the step into its
// opposite. If only a part was undone, `reverse()` resolves to a step for the rest. The steps of one operation are
// undone and redone together. When an item gets another path, the places of the item in all steps are replaced.
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

  // A step of an operation in several batches comes with a symbol for the operation.
  push(step, operation = Symbol()) {
    step.operation = operation
    this.#past.push(step)
    const [, second, ...others] = new Set(this.#past.map(each => each.operation))
    if (others.length > KEPT - 2) this.#past.splice(0, this.#past.findIndex(each => each.operation === second))
    this.#future = []
    this.#update()
    return step
  }

  // Undoes an operation, the latest by default. Resolves to whether no step is left that can be undone.
  undo(operation) {
    return this.#inTurn(() => this.#reverseAll(this.#past, this.#future, 'Undone', operation))
  }

  redo() { return this.#inTurn(() => this.#reverseAll(this.#future, this.#past, 'Redone')) }

  async #reverseAll(from, to, word, operation = from.at(-1)?.operation) {
    const steps = stepsOf(operation, from), total = countOf(steps), text = textOf(steps)
    let done = 0, step
    while ((step = stepsOf(operation, from).at(-1))) {
      const progress = done ? ` ${count(done)} of ${plural(total, 'item')} are ${word.toLowerCase()}.` : ''
      if (progress) tell(progress.trim(), {seconds: 60})
      if (!await this.#reverse(step, from, to, word, progress)) return !from.includes(step)
      done += step.places.length
    }
    if (done) tell(`${word}: ${text}`, {seconds: 4})
    return true
  }

  // Runs actions one after another, in the order of the key presses.
  #inTurn(action) { return this.#latest = this.#latest.then(action) }

  #latest = Promise.resolve()
  #unanswered = 0

  // Resolves when the edits until now are answered.
  get settled() { return this.#latest }

  // Makes undo and redo wait for an edit: a promise that settles after its step was pushed.
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
  async #reverse(step, from, to, word, progress) {
    const before = step.places
    let isRefused = false
    const left = await this.editor.attempt(() => step.reverse().then((rest = null) => rest, error => {
      isRefused = [404, 409, 412].includes(error.status)
      if (isRefused && error.status !== 409)
        throw Object.assign(new Error('someone else has changed the item since.'), {status: 412})
      throw error
    }), progress, `Not ${word.toLowerCase()}`)
    const isDone = left !== undefined, index = from.indexOf(step)
    if (isDone || isRefused) from.splice(index, 1)
    if (isDone) {
      // The places of these two steps are new already.
      this.editor.reversed(step, before.slice(-step.places.length))
      if (left) from.splice(index, 0, Object.assign(left, {operation: step.operation}))
      to.push(step)
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
      button.title = steps.length ? `${label}: ${textOf(stepsOf(steps.at(-1).operation, steps))}` : label
    }
  }
}

const stepsOf = (operation, steps) => steps.filter(each => each.operation === operation)

const countOf = steps => steps.reduce((sum, {places}) => sum + places.length, 0)

// A sentence about all steps of an operation.
export const textOf = steps => steps.length > 1 ? `${plural(countOf(steps), 'item')} ${steps[0].verb}.` : steps[0]?.text

// Replaces the places in a value. Values of documents have a `type` and do not contain places, so they do not change.
function followed(value, moved) {
  if (value instanceof Place) return moved(value)
  if (Array.isArray(value)) return value.map(each => followed(each, moved))
  if (value?.constructor !== Object || 'type' in value) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, followed(each, moved)]))
}

const conflict = () => Object.assign(new Error('changed'), {status: 412})

const quoted = (items, verb) =>
  `${items.length === 1 ? `“${items[0].title || 'Untitled'}”` : plural(items.length, 'item')} ${verb}.`

// Reads the details of items. Throws a conflict if an item is not as it was seen.
const unchanged = (places, seen) => inTurn(places.map((place, index) => [place, seen[index]]),
  async ([place, seen]) => {
  const now = await readNow(place)
  if (!alike(seen, now)) throw conflict()
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
    const {href, fieldsVersion} = await sendFields({place: this.places[0], isJSON: this.isJSON}, before, after,
      this.tag)
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
  places; seen; kept; verb; text

  constructor(places, {seen = null, kept = null}, verb) {
    Object.assign(this, {places, seen: {type: 'seen', details: seen}, kept, verb, text: quoted(seen ?? kept, verb)})
  }

  async reverse() {
    const {places, kept} = this
    if (kept) {
      const made = await insertBack(kept)
      this.kept = null
      // A later reversal requires the items as they are now; of one that cannot be read, only the title is compared.
      this.seen = {type: 'seen',
        details: await inTurn([...made.keys()],
          index => readNow(made[index]).catch(() => ({title: kept[index].title})))}
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
// `moveAll`.
export class MoveStep {
  places; spots; seen; verb = 'moved'; text

  constructor(places, spots, seen) {
    Object.assign(this, {places, spots, seen: {type: 'seen', details: seen}, text: quoted(seen, 'moved')})
  }

  async reverse() {
    const {places, spots, seen: {details}} = this
    const {made, back, others} = await moveAll(
      await unchanged(places, details), spots, true, [...places, ...spots.flatMap(({above, after}) => [above, after])])
    const first = places.length - made.length
    Object.assign(this, new MoveStep(made, back, details.slice(first)))
    if (first) return new MoveStep(others.slice(0, first), spots.slice(0, first).map(({section}, index) =>
      ({above: others[places.length + 2 * index], after: others[places.length + 2 * index + 1], section})),
        details.slice(0, first))
  }
}
