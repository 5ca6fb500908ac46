import assert from 'node:assert/strict'
import test from 'node:test'
import './dom.js'

const {Geometry} = await import('../../Sources/WebClient/list.js')

const HEIGHTS = {row: 40, header: 30, gap: 10, footer: ({footer}) => footer.length}

const geometry = (...sections) => {
  let start = 0
  return new Geometry(sections.map(([title, count, footer]) => {
    start += count
    return {title, start: start - count, count, footer}
  }), HEIGHTS)
}

test('a level of one section without a title is its rows alone', () => {
  const plain = geometry([null, 3])
  assert.deepEqual([plain.count, plain.total], [3, 120])
  assert.deepEqual([0, 1, 2].map(row => plain.topOfRow(row)), [0, 40, 80])
})

test('an empty level has no row and no height', () => {
  const empty = geometry([null, 0])
  assert.deepEqual([empty.count, empty.total, empty.rowAt(0)], [0, 0, -1])
})

test('the sections of a level without rows have headers and footers', () => {
  const acknowledged = geometry(['A', 0, 'seven..'], [null, 0, 'foot'])
  assert.deepEqual([acknowledged.count, [...acknowledged.tops]], [0, [0, 37, 51]])
  assert.deepEqual([0, 36, 37, 50].map(y => acknowledged.sectionAt(y)), [0, 0, 1, 1])
})

test('a header is above a section with a title, a gap above one without but the first, and a footer below', () => {
  const mixed = geometry(['A', 2, 'seven..'], [null, 1], ['C', 1])
  assert.deepEqual([...mixed.tops], [0, 117, 167, 237])
  assert.deepEqual([0, 1, 2, 3].map(row => mixed.topOfRow(row)), [30, 70, 127, 197])
})

test('the row at a height is below a header and above a footer', () => {
  const titled = geometry(['A', 2, 'seven..'], ['B', 2])
  assert.deepEqual([0, 29, 30, 69, 70, 112, 117, 146, 147, 1000].map(y => titled.rowAt(y)), [0, 0, 0, 0, 1, 1, 2, 2, 2, 3])
})

test('each row of very many sections is found at its own top', () => {
  const many = geometry(...Array.from({length: 2000}, (_, index) => [index % 3 ? `S${index}` : null, index % 5, index % 7 ? undefined : 'foot']))
  assert.equal(many.count, 4000)
  for (let row = 0; row < many.count; row++) assert.equal(many.rowAt(many.topOfRow(row)), row)
})
