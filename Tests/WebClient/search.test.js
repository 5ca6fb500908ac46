import assert from 'node:assert/strict'
import test from 'node:test'
import './dom.js'

// What the search needs of a page: its field, and what it puts beside the field.
let press
const field = {value: '', before() {}, after(scope, end) { Object.assign(this, {scope, end}) }, addEventListener() {}, parentElement: {
  addEventListener: (_, action) => press = (key, how) => action({key, target: field, stopPropagation() {}, preventDefault() {}, ...how})}}
const element = () => ({append() {}, setAttribute(name, value) { this[name] = value }})
Object.assign(document, {createElement: element, createElementNS: element, querySelector: selector => selector === '.search input' ? field : null})

const {base} = await import('../../Sources/WebClient/elements.js')
const {Place} = await import('../../Sources/WebClient/place.js')
const {Search} = await import('../../Sources/WebClient/search.js')

const level = Place.ofLink('/levels/A/B')

test('a text is searched in its scope, in one entry of the history, and the search ends where it began', () => {
  const went = [], app = {place: level, focusEnd() {}, go: (place, {replace}) => went.push([place.address.slice(base.length), replace]) && (app.place = place)}
  new Search(app).update(level.setting({sort: 'Title'}), level)
  const ask = (scope, value, key = 'Enter', how = {}) => {
    field.scope.value = scope
    field.value = value
    press(key, how)
    return went.splice(0)
  }
  assert.deepEqual([ask('all', 'ink', 'a'), ask('all', 'ink', 'Enter', {isComposing: true}), ask('all', ' ')], [[], [], []])
  assert.deepEqual([ask('all', 'ink'), ask('here', 'ink'), ask('titles', 'ink '), ask('titles', 'ink ', 'ArrowDown')], [
    [['/browse/?q=ink&in=*', false]], [['/browse/A/B?q=ink&in=*', true]], [['/browse/A/B?q=ink+', true]], []])
  assert.deepEqual([ask('titles', 'ink ', 'Escape'), field.value], [[['/browse/A/B?sort=Title', true]], ''])
})

test('the field shows the search of the place and its scope, unless it is being typed into', t => {
  t.after(() => document.activeElement = null)
  const search = new Search({}), shown = place => search.update(place, place) ?? [field.scope.value, field.value, field.end.hidden]
  assert.deepEqual([new Place([], 'q=x&in=*'), new Place(['A'], 'q=y&in=*'), new Place(['A'], 'q=z'), level].map(shown),
    [['all', 'x', false], ['here', 'y', false], ['titles', 'z', false], ['titles', '', true]])
  document.activeElement = field
  assert.deepEqual(shown(new Place([], 'q=x&in=*')), ['all', '', false])
})
