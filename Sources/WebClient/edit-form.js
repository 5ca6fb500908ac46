// The fields of an item as a form, by type, with what to do when someone else changed them meanwhile.

import {Problem, send} from './api.js'
import {readDetail} from './detail-pane.js'
import {ask} from './dialogs.js'
import {el, icon, iconButton} from './dom.js'
import {brief, size} from './format.js'
import {tell} from './notices.js'
import {Place} from './place.js'
import {fromJSON, plain, plist, xml} from './plist.js'

const TYPES = {string: 'Text', integer: 'Whole number', real: 'Number', boolean: 'Yes or no', date: 'Date', data: 'Data', array: 'List', dictionary: 'Fields'}
const EMPTY = {string: '', integer: '0', real: '0', boolean: false, date: '2000-01-01T00:00:00Z', data: '', array: [], dictionary: []}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other)

// Draws the form unless it has unsaved changes, which stay. Gives whether the pane shows a form.
export function drawForm(pane, editor) {
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
    this.list = el('div', {class: 'fields'})
    this.buttons = el('div', {class: 'buttons'})
    this.element = el('form', {class: 'edit-form', onsubmit: event => (event.preventDefault(), this.save())}, this.list, this.buttons)
    this.element.addEventListener('keydown', event => event.key === 'Escape' || event.stopPropagation())
    this.#draw()
  }

  get isChanged() {
    return !same(this.fields, this.original.fields)
  }

  #draw() {
    this.list.replaceChildren(...this.fields.map((field, place) => this.#row(field, place)),
      el('button', {type: 'button', class: 'plain', onclick: () => this.#add()}, icon('add'), 'Add a field'))
    this.#offer()
  }

  // Save and revert are there once there is something to save.
  #offer() {
    const shown = this.isChanged ? 'changed' : 'same'
    if (this.buttons.dataset.shown === shown) return
    this.buttons.dataset.shown = shown
    this.buttons.replaceChildren(
      el('button', {type: 'button', class: 'button danger', onclick: () => this.editor.remove(null, [this.original.href])}, 'Delete'),
      ...(this.isChanged ? [
        el('button', {type: 'button', class: 'button', onclick: () => this.#revert()}, 'Revert'),
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
      el('label', null, el('span', {dir: 'auto'}, name), INPUTS[value.type]?.(value.value, change) ?? json(value, next => {
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
    const type = el('select', null, ...Object.entries(TYPES).map(([value, text]) => el('option', {value}, text)))
    const answer = await ask('Add a field', [el('label', null, 'Name', name), el('label', null, 'Type', type)], [
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
      if (error instanceof Problem && error.status === 412) await this.#resolve()
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
    const table = el('table', {class: 'versions'},
      el('thead', null, el('tr', null, ...['Field', 'Yours', 'Theirs'].map(each => el('th', {scope: 'col'}, each)))),
      el('tbody', null, ...names.map(name => el('tr', null, el('th', {scope: 'row'}, name),
        el('td', {dir: 'auto'}, text(this.fields, name)), el('td', {dir: 'auto'}, text(theirs.fields, name))))))
    const answer = await ask('It was changed meanwhile', [
      el('p', null, 'Someone else saved this item after you began. Which version is to stay?'), table,
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
  integer: (value, change) => number(value, change, '-?[0-9]+', 'numeric'),
  real: (value, change) => number(value, change, '-?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?|nan|[-+]infinity', 'decimal'),
  boolean(value, change) {
    const box = el('input', {type: 'checkbox', role: 'switch', class: 'switch', onchange: () => change(box.checked)})
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
    const note = el('span', null, size(Math.floor(value.length * 3 / 4)))
    const file = el('input', {type: 'file', onchange: async () => {
      const bytes = new Uint8Array(await file.files[0].arrayBuffer())
      let text = ''
      for (const byte of bytes) text += String.fromCharCode(byte)
      change(btoa(text))
      note.textContent = size(bytes.length)
    }})
    return el('span', null, note, file)
  },
}

function number(value, change, pattern, inputmode) {
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
