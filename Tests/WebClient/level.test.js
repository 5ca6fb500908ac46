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
  level.head.count = 11
  assert.equal(await level.divide(), false, 'the sections are of another state')
  level.head.count = 10
  assert.equal(await level.divide(), true)
  assert.deepEqual(titles(), [['A', 0, 2], ['B', 2, 2], ['C', 4, 2], ['D', 6, 2], ['E', 8, 2]])
  assert.equal(await level.divide(), false)
  assert.deepEqual(asked, ['/levels/Ten?limit=100&start=0&sections=100', ...Array(2).fill('/levels/Ten?limit=1&start=0&fields=')])
})

test('the pages that are needed are read once each, and each tells whether the level has changed', async () => {
  const asked = [], heard = []
  let count = 300, prefix = 'r'
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
  count = 301
  assert.equal(await new Promise(done => other.need(100, 100, done)), true)
  assert.equal(other.row(100), undefined)
})

// Answers for a level of rows and for details; `answer(link, start)` may answer in place of it. Keeps the links.
function serving(count, answer = () => null) {
  const asked = []
  globalThis.fetch = async target => {
    const link = target.slice(target.search(/\/(levels|detail)\//)), {searchParams} = new URL(link, 'http://host'), start = Number(searchParams.get('start'))
    asked.push(link)
    const rows = Array.from({length: Math.min(Number(searchParams.get('limit')), count - start)}, (_, index) => ({href: `/detail/L/r${start + index}`}))
    return answer(link, start) ?? Response.json({count, sections: [{start: 0, count}], rows})
  }
  return asked
}

const refusing = (status, body = {}) => Response.json(body, {status}), levelOf = (query = '') => new Level(new Place(['L'], query))
const needs = (level, page) => new Promise(done => level.need(page * 100, page * 100, done))

test('twenty pages are kept, and the one furthest from the latest is forgotten', async () => {
  const level = levelOf()
  serving(5000)
  await level.open(2400)
  for (let page = 23; page > 3; page--) assert.equal(await needs(level, page), false)
  assert.deepEqual([...level.loaded()].map(([index]) => index), Array.from({length: 2000}, (_, index) => 400 + index))
})

test('a page that has rows of another page is not kept, and a page that was refused can be read again', async () => {
  const level = levelOf(), rows = [{href: '/detail/L/r99'}], outcomes = []
  serving(500)
  await level.open()
  for (const answer of [() => Response.json({count: 500, rows}), () => refusing(404), () => null]) {
    serving(500, answer)
    outcomes.push(await needs(level, 1), level.row(100)?.href)
  }
  assert.deepEqual(outcomes, [true, undefined, true, undefined, false, '/detail/L/r100'])
})

test('a level is opened with all pages around a row, or at its beginning if it has become shorter', async () => {
  const level = levelOf(), asked = serving(500)
  await level.open(250, undefined, 60)
  assert.deepEqual([asked, [99, 100, 399, 400].map(index => Boolean(level.row(index)))], [['/levels/L?limit=300&start=100&sections=100'], [false, true, true, false]])
  serving(50, (_, start) => start ? refusing(422, {parameter: 'start'}) : null)
  await level.open(250)
  assert.deepEqual([level.row(49).href, level.row(100)], ['/detail/L/r49', undefined])
  serving(50, () => refusing(422, {parameter: 'sort'}))
  await assert.rejects(level.open(250), {status: 422})
})

test('the present state is read around a row, where it is now', async () => {
  const answering = response => link => link.startsWith('/detail') ? response() : null, own = {href: '/detail/L/r3', index: 250}
  const moved = answering(() => Response.json({position: {index: 480}})), gone = answering(() => refusing(404))
  for (const [count, query, anchor, answer, links] of [
    [101, '', own, moved, ['/detail/L/r3', 400]], [500, '', own, gone, ['/detail/L/r3', 200]], [500, 'sort=A', own, moved, [200]], [100, '', own, moved, [200]], [500, '', null, moved, [0]],
  ]) {
    const level = levelOf(query), asked = serving(500, answer)
    level.head = {count}
    assert.equal((await level.refreshed(anchor, 0)).count, 500)
    assert.deepEqual(asked.map(link => link.startsWith('/detail') ? link : Number(/start=(\d+)/.exec(link)[1])), links)
  }
})

test('the level of a record has the first rows of each list that refers to the record', async () => {
  const asked = [], lists = {InvoiceLine: 0, Playlist: 2, Video: 7}
  const rowsOf = name => Array.from({length: Math.min(5, lists[name])}, (_, index) => ({key: `${index}`, href: `/detail/Track/1/${name}/${index}`}))
  globalThis.fetch = async target => {
    const link = target.slice(target.search(/\/(levels|detail)\//)), name = /Track\/1\/(\w+)/.exec(link)?.[1]
    asked.push(link)
    if (name) return Response.json({count: lists[name], rows: rowsOf(name), sections: []})
    if (link.startsWith('/detail/')) return Response.json({canonical: '/detail/Track/1'})
    const rows = Object.entries(lists).map(([title, count]) => ({title, count, leaf: false, href: `/levels/Track/1/${title}`, fields: {}}))
    return Response.json({title: 'A track', count: 3, rows, sections: [{title: null, start: 0, count: 3}]})
  }
  const level = new Level(Place.ofLink('/levels/Track/1'))
  await level.open()
  const sections = () => level.head.sections.map(({title, start, count, total}) => [title, start, count, total])
  assert.deepEqual([level.record, level.count, sections()], ['/detail/Track/1', 7, [['InvoiceLine', 0, 0, 0], ['Playlist', 0, 2, 2], ['Video', 2, 5, 7]]])
  assert.deepEqual([asked, level.row(0)], [['/levels/Track/1?limit=100&start=0&sections=100', '/detail/Track/1'], undefined])
  const need = (first, last) => new Promise(done => level.need(first, last, done))
  assert.equal(await need(0, 1), false)
  assert.equal(await need(1, 6), false)
  assert.deepEqual(asked.slice(2), ['/levels/Track/1/Playlist?limit=5', '/levels/Track/1/Video?limit=5'])
  assert.deepEqual([level.row(1).href, level.row(2).href, level.row(6).href, level.indexOf('/detail/Track/1/Video/3')],
    ['/detail/Track/1/Playlist/1', '/detail/Track/1/Video/0', '/detail/Track/1/Video/4', 5])
  lists.Video = 1
  const next = await level.refreshed({index: 2, href: '/detail/Track/1/Video/0'}, 20)
  assert.deepEqual([next.count, next.row(0).key, next.row(2).href, next.row(3)], [3, '0', '/detail/Track/1/Video/0', undefined])
})
