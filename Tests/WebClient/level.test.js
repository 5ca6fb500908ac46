import assert from 'node:assert/strict'
import test from 'node:test'
import './dom.js'

const {applied, Level} = await import('../../Sources/WebClient/level.js')
const {Place} = await import('../../Sources/WebClient/place.js')

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

// A level of ten rows in five sections, of which an answer has only some.
function answerAt(target) {
  const {searchParams} = new URL(target, 'http://localhost'), start = Number(searchParams.get('start'))
  const all = ['A', 'B', 'C', 'D', 'E'].map((title, index) => ({title, index: null, start: index * 2, count: 2}))
  const rows = Array.from({length: 10}, (_, index) => ({key: `r${index}`, href: `/detail/r${index}`})).slice(start)
  const isWhole = searchParams.get('sections') === null
  return {title: 'Ten', version: 'v', count: 10, rows, sections: isWhole ? all : all.slice(1, 3), ...(!isWhole && {sectionCount: 5})}
}

test('of very many sections the first answer has some, and all are read once', async () => {
  const asked = []
  globalThis.fetch = async target => {
    asked.push(target.slice(target.indexOf('/levels/')))
    return new Response(JSON.stringify(answerAt(target)))
  }
  const level = new Level(Place.ofLink('/levels/Ten')), titles = () => level.head.sections.map(({title = null, start, count}) => [title, start, count])
  await level.open()
  assert.deepEqual(titles(), [[null, 0, 2], ['B', 2, 2], ['C', 4, 2], [null, 6, 4]])
  assert.equal(await level.divide(), true)
  assert.deepEqual(titles(), [['A', 0, 2], ['B', 2, 2], ['C', 4, 2], ['D', 6, 2], ['E', 8, 2]])
  assert.equal(await level.divide(), false)
  assert.deepEqual(asked, ['/levels/Ten?limit=100&start=0&sections=100', '/levels/Ten?limit=1&start=0&fields='])
})

test('a row that changes its section without changing its place is in the new section, although the delta lists nothing', async () => {
  const key = name => ({key: name, version: '1', href: `/detail/S/${name}`})
  const sections = first => [{title: 'A', index: null, start: 0, count: first}, {title: 'B', index: null, start: first, count: 3 - first}]
  const head = {title: 'S', count: 3}, asked = []
  globalThis.fetch = async target => {
    asked.push(target.slice(target.indexOf('/levels/')))
    return new Response(JSON.stringify(target.includes('since=')
      ? {...head, version: 'w', sections: sections(1), since: 'v', ...NOTHING} : {...head, version: 'v', sections: sections(2), rows: ['a', 'b', 'c'].map(key)}))
  }
  const level = new Level(Place.ofLink('/levels/S'))
  await level.open()
  const next = await level.refreshed({index: 0, href: '/detail/S/a'}, 10)
  assert.deepEqual(next.head.sections, sections(1))
  assert.deepEqual([0, 1, 2].map(index => next.row(index).key), ['a', 'b', 'c'])
  assert.deepEqual(asked, ['/levels/S?limit=100&start=0&sections=100', '/levels/S?limit=100&start=0&sections=100&since=v'])
})

test('the pages that are needed are read once each, and each tells whether the level has changed', async () => {
  const asked = [], heard = []
  let count = 250, prefix = 'r'
  globalThis.fetch = async target => {
    const {searchParams} = new URL(target, 'http://localhost'), start = Number(searchParams.get('start')), limit = Number(searchParams.get('limit'))
    asked.push(start)
    const rows = Array.from({length: Math.min(limit, count - start)}, (_, index) => ({key: `${start + index}`, href: `/detail/${prefix}${start + index}`}))
    return Response.json({title: 'T', version: 'v', count, rows, sections: [{title: null, start: 0, count}]})
  }
  const level = new Level(Place.ofLink('/levels/T')), need = (first, last) => new Promise(done => level.need(first, last, done))
  await level.open()
  level.need(0, 99, () => heard.push('none'))
  assert.equal(await need(100, 199), false)
  assert.deepEqual([level.row(0).key, level.row(199).key, level.row(200)], ['0', '199', undefined])
  prefix = 'r1'
  assert.equal(await need(200, 299), false)
  level.need(300, 400, () => heard.push('none'))
  assert.deepEqual([asked, heard, level.indexOf('/detail/r1249'), level.indexOf('/detail/none')], [[0, 100, 200], [], 249, -1])
  const other = new Level(Place.ofLink('/levels/T'))
  await other.open()
  count = 251
  assert.equal(await new Promise(done => other.need(100, 100, done)), true)
  assert.equal(other.row(100), undefined)
})
