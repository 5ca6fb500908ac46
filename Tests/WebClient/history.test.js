import assert from 'node:assert/strict'
import test from 'node:test'
import './dom.js'

// What undo and its notices need of a page. The notices are kept as texts.
const said = []
const element = () => ({append(...parts) { this.textContent = parts.map(part => part?.textContent ?? part).join('') }, setAttribute() {}, remove() {}})
Object.assign(document, {
  createElement: element, createElementNS: element,
  querySelector: selector => selector === '.notices' ? {querySelector: () => null, append: ({textContent}) => said.push(textContent)} : null,
})
const wait = globalThis.setTimeout
globalThis.setTimeout = (action, time) => time < 1000 ? wait(action, time) : 0

const {History} = await import('../../Sources/WebClient/history.js')

// Steps that keep in `present` what is done, and may be refused; an editor that says what fails.
const present = []
const step = (name, count = 1, status = null) => ({
  name, status, places: Array(count).fill(name), verb: 'deleted', text: `${name} deleted.`,
  async reverse() {
    if (this.status) throw Object.assign(new Error('no'), {status: this.status})
    present.includes(name) ? present.splice(present.indexOf(name), 1) : present.push(name)
  },
})
const editor = {
  attempt: (action, kept, prefix) => action().catch(error => void said.push(`${prefix}: ${error.message}${kept}`)),
  reversed() {},
}

function begun(steps, operation) {
  const history = new History(editor)
  present.length = said.length = 0
  for (const each of steps) {
    present.push(each.name)
    history.push(each, operation)
  }
  return history
}

const named = count => Array.from({length: count}, (_, index) => step(`${index}`, 1000))

test('an operation of any number of batches is undone and redone as a whole', async () => {
  const history = begun(named(250), Symbol())
  present.push('later')
  history.push(step('later'))
  await history.undo()
  assert.deepEqual([present.length, said.splice(0)], [250, ['Undone: later deleted.']])
  await history.undo()
  assert.deepEqual([present, said.splice(0).at(-1)], [[], 'Undone: 250,000 items deleted.'])
  await history.redo()
  assert.deepEqual([present.length, said.splice(0).at(-1)], [250, 'Redone: 250,000 items deleted.'])
  await history.redo()
  assert.deepEqual(present.slice(-1), ['later'])
})

test('old operations are forgotten as a whole', async () => {
  const history = begun(named(60), Symbol())
  for (const each of named(99)) history.push(each)
  for (let index = 0; index < 120; index++) await history.undo()
  assert.equal(said.filter(text => text.startsWith('Undone')).at(-1), 'Undone: 60,000 items deleted.')
  const longer = begun(named(60), Symbol())
  for (const each of named(100)) longer.push(each)
  for (let index = 0; index < 120; index++) await longer.undo()
  assert.equal(said.filter(text => text.startsWith('Undone')).length, 100)
})

test('an undo that fails tells how much is undone, and the rest can be undone afterwards', async () => {
  const steps = named(3)
  steps[1].status = 507
  const history = begun(steps, Symbol())
  assert.equal(await history.undo(steps[0].operation), false)
  assert.deepEqual([present, said.at(-1)], [['0', '1'], 'Not undone: no 1,000 of 3,000 items are undone.'])
  steps[1].status = null
  assert.equal(await history.undo(steps[0].operation), true)
  assert.deepEqual([present, said.at(-1)], [[], 'Undone: 2,000 items deleted.'])
  await history.redo()
  assert.deepEqual(present.sort(), ['0', '1', '2'])
})
