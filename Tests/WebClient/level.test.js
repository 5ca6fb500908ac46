import assert from 'node:assert/strict'
import test from 'node:test'
import './dom.js'

const {applied} = await import('../../Sources/WebClient/level.js')

const rows = (...keys) => keys.map(key => ({key, version: '1'}))
const NOTHING = {removed: [], inserted: [], moved: [], updated: []}
const after = (delta, ...keys) => applied({...NOTHING, ...delta}, rows(...keys)).map(({key, version}) => version === '1' ? key : key + version)

test('an empty delta changes nothing', () => assert.deepEqual(after({}, 'a', 'b'), ['a', 'b']))

test('rows are removed, inserted, moved and updated at their new positions', () => {
  assert.deepEqual(after({removed: ['b']}, 'a', 'b', 'c'), ['a', 'c'])
  assert.deepEqual(after({inserted: [{at: 0, row: {key: 'x', version: '1'}}, {at: 3, row: {key: 'y', version: '1'}}]}, 'a', 'b'), ['x', 'a', 'b', 'y'])
  assert.deepEqual(after({moved: [{at: 0, key: 'c'}]}, 'a', 'b', 'c'), ['c', 'a', 'b'])
  assert.deepEqual(after({updated: [{at: 1, row: {key: 'b', version: '2'}}]}, 'a', 'b'), ['a', 'b2'])
})

test('a row that moves and is updated is the new one', () => {
  assert.deepEqual(after({moved: [{at: 0, key: 'b'}], updated: [{at: 0, row: {key: 'b', version: '2'}}]}, 'a', 'b'), ['b2', 'a'])
})

test('every change of a list into another is reached by its delta', () => {
  let seed = 7
  const random = below => (seed = seed * 48271 % 0x7FFFFFFF) % below
  for (let round = 0; round < 500; round++) {
    const old = 'abcdefgh'.slice(0, random(9)).split('')
    const kept = old.filter(() => random(3)), fresh = 'uvwxyz'.slice(0, random(7)).split(''), target = [...kept, ...fresh]
    for (let index = target.length - 1; index > 0; index--) {
      const other = random(index + 1), each = target[index]
      target[index] = target[other]
      target[other] = each
    }
    const delta = {
      removed: old.filter(key => !target.includes(key)),
      inserted: fresh.map(key => ({at: target.indexOf(key), row: {key, version: '1'}})),
      moved: kept.map(key => ({at: target.indexOf(key), key})),
    }
    assert.deepEqual(after(delta, ...old), target)
  }
})
