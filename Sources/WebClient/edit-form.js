// The form for the fields of an item, and the resolution of conflicts with the edits of other users.

import {ask, menuItem, openPanel} from './dialogs.js'
import {batch, changes, dictionary, isNumber, literal, same, sendFields} from './edits.js'
import {brief, choiceField, el, hasFocus, icon, iconButton, oneLine, plural, size, stop, toggleSwitch, TYPES,
  within} from './elements.js'
import {FieldsStep} from './history.js'
import {tell} from './messages.js'
import {Place} from './place.js'
import {bytesIn, plain, readDetail} from './plist.js'
import {getJSON} from './service.js'

const EMPTY = {string: '', integer: '0', real: '0', boolean: false, date: '2000-01-01T00:00:00Z', data: '', array: [],
  dictionary: []}

// The names under which a document contains the children of an item. These names are not names of fields.
const STRUCTURE = ['Children', 'Rows', 'Sections']

// Converts a value to another type. A value that cannot be converted becomes the empty value of the other type.
function converted({type: from, value}, type) {
  if (from === type) return {type, value}
  const text = typeof value === 'object' ? '' : String(value)
  const read = {
    string: () => text,
    integer: () => /^-?\d+$/.test(text) ? text
      : Number.isSafeInteger(Math.trunc(Number(text))) ? String(Math.trunc(Number(text))) : null,
    real: () => text.trim() && Number.isFinite(Number(text)) ? text : null,
    boolean: () => /^(true|yes|1)$/i.test(text),
    date: () => Number.isNaN(Date.parse(text)) || !/^\d{4}-/.test(text) ? null
      : new Date(text).toISOString().replace(/\.\d+/, ''),
    data: () => btoa(String.fromCharCode(...new TextEncoder().encode(text.slice(0, 10_000)))),
    array: () => from === 'dictionary' ? value.map(([, each]) => each) : [{type: from, value}],
    dictionary: () => from === 'array' ? value.map((each, index) => [String(index), each]) : null,
  }[type]()
  return {type, value: read ?? structuredClone(EMPTY[type])}
}

export class EditForm {
  #list = el('div')
  #note = el('p.problem')
  #buttons = el('div.buttons')
  #offered = null
  // The paths of the lists and dictionaries that are unfolded.
  #open = new Set()
  #isBusy = false
  #isGone = false
  // The names of the fields that someone else has changed since the form began.
  #theirs = []

  constructor(editor) {
    this.editor = editor
    this.element = el('form.edit-form', {
      onsubmit: event => {
        event.preventDefault()
        if (!this.#isBusy) this.editor.history.during(this.save())
      },
      onkeydown: event => this.#key(event),
    }, this.#note, this.#list, this.#buttons)
  }

  // Enter saves; with Shift, and in a text of several lines, it begins a line. Escape in a changed field brings its
  // value back.
  #key(event) {
    const {key, target} = event,
      isLine = target.matches('input') || target.matches('textarea') && !target.value.includes('\n')
    if (key === 'Enter' && !event.shiftKey && !event.isComposing && isLine && this.isChanged) {
      stop(event)
      this.element.requestSubmit()
    } else if (key !== 'Escape') event.stopPropagation()
  }

  // Fills the form with a detail; with `fields`, the form begins with these fields as unsaved changes.
  #begin(detail, fields = detail.fields) {
    this.original = detail
    this.#theirs = []
    const offered = this.editor.suggested.get(Place.ofLink(detail.href).path) ?? []
    this.#suggested = new Set(offered.map(([name]) => name))
    this.#all = structuredClone([...fields, ...offered.filter(([name]) => fields.every(([own]) => own !== name))])
    this.#list.replaceChildren(this.#parts(this.#all, ''))
    this.#offer()
  }

  // The fields of the form; without those that were only offered and are empty.
  get fields() {
    const isOwn = name => !this.#suggested.has(name) || this.original.fields.some(([own]) => own === name)
    return this.#all?.filter(([name, {value}]) => isOwn(name) || value !== '' && value !== false)
  }

  #all
  #suggested = new Set()

  // Updates the form of a pane after the pane's item was read, or if the item is gone. Unsaved changes stay.
  show(pane) {
    const {detail} = pane
    this.pane = pane
    this.#isGone = !detail
    if (this.isChanged) {
      this.#theirs = detail ? changes(detail.fields, this.original.fields) : []
      return this.#offer()
    }
    if (!this.fields || !same(this.fields, detail.fields)) return this.#begin(detail)
    this.original = detail
  }

  discard() {
    this.#begin(this.original)
    this.pane.refresh()
  }

  get isChanged() { return !same(this.fields, this.original?.fields) }

  // Shows the buttons to save and to revert while the form has unsaved changes. The form is then kept as a draft.
  #offer() {
    const {isChanged, editor: {drafts}} = this, {path} = Place.ofLink(this.original.href)
    if (isChanged) drafts.set(path, this)
    else if (drafts.get(path) === this) drafts.delete(path)
    this.editor.showDrafts()
    const number = changes(this.fields, this.original.fields).length
    const theirs = this.#theirs, offered = [number, theirs, this.#isBusy, this.#isGone].join()
    if (this.#offered === offered) return
    this.#offered = offered
    const hadFocus = hasFocus(this.#buttons)
    this.#note.textContent = this.#isGone ? 'This item was deleted or renamed meanwhile. What you typed is still here.'
      : isChanged && theirs.length ? `Someone else has changed this item meanwhile: ${theirs.join(', ')}.` : ''
    this.#buttons.replaceChildren(
      ...(isChanged ? [
        el('button.button', {onclick: () => this.discard()}, this.#isGone ? 'Discard' : 'Revert'),
        el('button.button.main', {type: 'submit', disabled: this.#isBusy},
          this.#isBusy ? 'Saving…' : this.#isGone ? 'Save as a new item' : 'Save'),
        el('small', plural(number, 'change')),
      ] : []))
    if (hadFocus) this.pane.heading.focus()
  }

  // Makes the inputs for `parts`, the fields of an item or dictionary or the elements of a list, and changes `parts`.
  #parts(parts, path, isList) {
    const holder = el('div.fields')
    const draw = index => {
      holder.replaceChildren(...parts.map((part, index) => isList ? row(index, part, index) : row(...part, index)),
        el('button.plain', {onclick: add}, icon('add'), isList ? 'Add an element' : 'Add a field'))
      if (index === undefined) return
      this.#offer()
      holder.children[index].querySelector('input, textarea, summary, .plain')?.focus()
    }
    const row = (name, value, index) => {
      const kind = isList ? 'element' : 'field'
      const remove = () => {
        parts.splice(index, 1)
        draw(Math.max(0, index - 1))
      }
      const moveUp = () => {
        parts.splice(index - 1, 0, ...parts.splice(index, 1))
        draw(index - 1)
      }
      const more = iconButton('more', `Change or remove ${name}`, () => openPanel(more, `The ${kind} ${name}`, [
        menuItem(isList ? 'Change the type…' : 'Change the name or the type…', () => change(index)),
        isList && index > 0 && menuItem('Move up', moveUp), menuItem(`Remove the ${kind}`, remove)].filter(Boolean)),
          {ariaHasPopup: 'dialog'})
      const field = value.type in INPUTS
        ? el('label', el('span', {dir: 'auto', 'data-type': value.type === 'date' ? 'Date, UTC' : TYPES[value.type]},
          name),
          INPUTS[value.type](value.value, next => {
            value.value = next
            this.#offer()
          }, path || !this.#suggested.has(name))) : this.#folded(name, value, `${path}/${name}`)
      return el('div.field', {onkeydown: event => {
        if (event.key === 'Escape' && !path && this.#revert(parts, name, () => draw(index))) stop(event)
      }}, field, more)
    }
    // Asks for the name and the type of a part, and returns the part; undefined if the dialog is cancelled.
    const askPart = async (title, done, index = -1) => {
      const [before, old] = isList ? ['', parts[index]] : parts[index] ?? ['']
      const name = el('input', {required: true, autocomplete: 'off', dir: 'auto', value: before,
        oninput: () => name.setCustomValidity(
        parts.some(([other], at) => other === name.value && at !== index) ? 'There is a field of this name.' : '')})
      const type = choiceField('Type', Object.entries(TYPES), old?.type ?? 'string')
      if (!await ask(title, [!isList && el('label', 'Name', name), el('label', 'Type', type)].filter(Boolean),
        ['Cancel', done])) return
      // These names are not names of fields: offer to add an item below this item instead.
      if (!path && STRUCTURE.includes(name.value)) return void this.editor.addTo(this.pane.place)
      const value = old ? converted(old, type.value) : {type: type.value, value: structuredClone(EMPTY[type.value])}
      return isList ? value : [name.value, value]
    }
    const add = async () => {
      const part = await askPart(isList ? 'Add an element' : 'Add a field', 'Add')
      if (part) draw(parts.push(part) - 1)
    }
    const change = async index => {
      const part = await askPart(isList ? 'Change the element' : 'Change the field', 'Change', index)
      if (!part) return
      parts[index] = part
      draw(index)
    }
    draw()
    return holder
  }

  // Brings the value of a field back; returns whether it was changed.
  #revert(parts, name, draw) {
    const part = parts.find(([own]) => own === name), original = this.original.fields.find(([own]) => own === name)
    if (!original || same(part, original)) return false
    part[1] = structuredClone(original[1])
    draw()
    return true
  }

  // Makes the folded element for a list or a dictionary. The inputs are made when the user opens the element.
  #folded(name, part, path) {
    const isList = part.type === 'array'
    const element = el('details', {open: this.#open.has(path), ontoggle: () => {
      this.#open[element.open ? 'add' : 'delete'](path)
      if (element.open && element.children.length === 1)
        element.append(el('div.nested', this.#parts(part.value, path, isList)))
    }}, el('summary', {dir: 'auto'}, `${name}: ${plural(part.value.length, isList ? 'element' : 'field')}`))
    return element
  }

  // Saves the fields. Text that is typed meanwhile stays, as an unsaved change. `merged`: the names of the fields whose
  // values come from another user, for the message.
  async save(version = this.original.fieldsVersion, before = this.original.fields, merged = null) {
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
      if (!isNew) {
        editor.history.push(new FieldsStep(pane.place, original.isJSON, before, sent, answer.fieldsVersion,
          `“${original.title || 'Untitled'}” saved.`))
      }
      this.#theirs = []
      this.original = {...original, fields: sent, fieldsVersion: answer.fieldsVersion, href: answer.href}
      if (isNew) editor.app.go(to, {replace: true})
      else editor.follow([[pane.place, to]])
      tell(merged ? `Saved, with what someone else changed meanwhile: ${merged.join(', ')}.` : 'Saved.',
        {seconds: merged ? 8 : 3})
      pane.refresh()
    }
    this.#offer()
    if (failed.length) await this.#resolve()
  }

  async #send(fields, before, version) {
    const {href, isJSON} = this.original
    if (!this.#isGone) return sendFields({place: Place.ofLink(href), isJSON}, fields, before, version)
    const [made] = await batch([dictionary([
      ['insert', dictionary(fields)], ['to', {type: 'string', value: Place.ofLink(href).parent.level}]])],
        'application/x-plist')
    return getJSON(made.detail)
  }

  // Merges the fields that only one side has changed. For the others, asks the user which value to keep.
  async #resolve() {
    const theirs = await this.editor.attempt(() => readDetail(this.pane.place), ' What you typed is still here.')
    if (!theirs) return
    const mine = changes(this.fields, this.original.fields), others = changes(theirs.fields, this.original.fields)
    const own = new Map(this.fields), other = new Map(theirs.fields)
    const both = mine.filter(name => others.includes(name) && !same(own.get(name), other.get(name)))
    const merged = others.filter(name => !mine.includes(name))
    const answer = both.length ? await this.#askWhich(both, merged, own, other) : 'Save mine'
    if (!answer) return
    const kept = answer === 'Save mine' ? mine : mine.filter(name => !both.includes(name)),
      result = new Map(theirs.fields)
    for (const name of kept) own.has(name) ? result.set(name, own.get(name)) : result.delete(name)
    this.#begin(theirs, [...result])
    if (!this.isChanged) return this.pane.refresh()
    await this.save(theirs.fieldsVersion, theirs.fields, merged.length ? merged : null)
  }

  #askWhich(both, merged, own, other) {
    const cell = value => el('td', {dir: 'auto'}, !value ? '(none)'
      : isNumber(value) ? value.value
        : ['array', 'dictionary'].includes(value.type) ? oneLine(literal(value).slice(0, 300)) : brief(plain(value)))
    return ask('It was changed meanwhile', [
      el('p', `Someone else changed ${both.length === 1 ? 'this field'
        : 'these fields'} after you began. Which version is to stay?`),
      el('table.versions',
        el('thead', el('tr', ...['Field', 'Yours', 'Theirs'].map(each => el('th', {scope: 'col'}, each)))),
        el('tbody', ...both.map(name =>
          el('tr', el('th', {scope: 'row', dir: 'auto'}, name), cell(own.get(name)), cell(other.get(name)))))),
      merged.length > 0 && el('p', `What they changed in other fields is kept: ${merged.join(', ')}.`),
    ].filter(Boolean), ['Go on typing', 'Take theirs', 'Save mine'])
  }
}

const INPUTS = {
  string: (value, change) => el('textarea', {
    dir: 'auto', rows: within(1, Math.max(Math.ceil(value.length / 60), value.split('\n').length), 12), value,
    oninput: ({target}) => {
      // The field grows with its text.
      target.style.height = 'auto'
      target.style.height = within(44, target.scrollHeight + 2, innerHeight / 2) + 'px'
      change(target.value)
    },
  }),
  integer: (value, change, required) => numberField(value, change, '-?[0-9]+', 'numeric', required),
  real: (value, change, required) => numberField(value, change,
    '-?[0-9]+([.][0-9]+)?([eE](-|[+])?[0-9]+)?|nan|(-|[+])infinity', 'decimal', required),
  boolean: (value, change) => toggleSwitch(null, value, {onchange: ({target}) => change(target.checked)}),
  date: (value, change, required) => el('input', {
    type: 'datetime-local', step: 1, required: Boolean(required), value: value.replace(/Z$/, ''),
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

const numberField = (value, change, pattern, inputMode, required) => el('input', {
  pattern, inputMode, required: Boolean(required), autocomplete: 'off', value,
  oninput: ({target}) => change(target.value),
})
