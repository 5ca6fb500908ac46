import assert from 'node:assert/strict'
import test from 'node:test'
import './dom.js'

const {Level} = await import('../../Sources/WebClient/level.js')
const {Place} = await import('../../Sources/WebClient/place.js')

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
