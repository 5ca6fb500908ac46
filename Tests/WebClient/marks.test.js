import assert from 'node:assert/strict'
import test from 'node:test'
import './dom.js'

const {alike, deleteAll, edit, fixed, fixedSpots, insertBack, lastBatch, spotIn, spotsOf} = await import('../../Sources/WebClient/edits.js')
const {Level} = await import('../../Sources/WebClient/level.js')
const {inOrder, markOf, presentDetails, rangeOf} = await import('../../Sources/WebClient/marks.js')
const {Place} = await import('../../Sources/WebClient/place.js')
const {token} = await import('../../Sources/WebClient/service.js')

const COUNT = 2500
const row = index => ({href: `/detail/L/r${index}`, title: `r${index}`, count: 0, fieldsVersion: `v${index}`})

// Answers for a level of rows, and for their details. `change` may alter an answer. Keeps the links that were asked for.
function serving(change = (_, answer) => answer) {
  const asked = []
  globalThis.fetch = async target => {
    const link = target.slice(target.search(/\/(levels|detail)\//)), {pathname, searchParams} = new URL(link, 'http://host'), number = name => Number(searchParams.get(name))
    asked.push(link)
    const index = Number(/\d+$/.exec(pathname)?.[0]), sections = [{title: null, start: 0, count: COUNT}]
    const answer = pathname.startsWith('/detail') ? {...row(index), position: {index, section: 0}, previous: index ? row(index - 1) : null}
      : {title: 'L', version: 'v', count: COUNT, sections, rows: Array.from({length: Math.min(number('limit'), COUNT - number('start'))}, (_, offset) => row(number('start') + offset))}
    const changed = change(link, answer)
    return changed ? new Response(JSON.stringify(changed)) : new Response('{}', {status: 404})
  }
  return asked
}

const opened = async () => {
  const level = new Level(Place.ofLink('/levels/L'))
  await level.open()
  return level
}

const end = index => ({href: row(index).href, index})
const path = index => `L/r${index}`

test('a range has all rows between its ends, whatever is in memory, in either direction', async () => {
  for (const ends of [[3, 2400], [2400, 3]]) {
    // The ends are where they are now, not where they were seen.
    const asked = serving(), level = await opened(), marks = await rangeOf(level, ...ends.map(index => ({...end(index), index: 9})))
    assert.deepEqual(marks.map(({place}) => place.path), Array.from({length: 2398}, (_, offset) => path(3 + offset)))
    assert.deepEqual([marks.at(-1).index, (await marks.at(-1).seen).fieldsVersion], [2400, 'v2400'])
    assert.equal(level.row(2400), undefined)
    assert.deepEqual(asked.filter(link => link.includes('fields=')).map(link => /limit=\d+&start=\d+/.exec(link)[0]), ['limit=1000&start=3', 'limit=1000&start=1003', 'limit=398&start=2003'])
  }
})

test('a range is refused if its ends are other rows, or if the level changes meanwhile', async () => {
  const refusal = {status: 412, message: 'the rows have changed meanwhile. Mark the first row again.'}
  for (const change of [answer => ({...answer, rows: answer.rows.slice(1)}), answer => ({...answer, count: COUNT + 1}), answer => ({...answer, rows: answer.rows.map(() => row(3))})]) {
    serving((link, answer) => link.includes('fields=') ? change(answer) : answer)
    await assert.rejects(rangeOf(await opened(), end(3), end(1200)), refusal)
  }
})

test('marks are in the order of the rows, and where the rows are now if these are loaded', async () => {
  serving()
  const level = await opened(), mark = (number, index) => [path(number), {place: Place.ofLink(row(number).href), index}]
  const marks = new Map([mark(2000, 2000), mark(5, 90), mark(50, 50), mark(1, 1)])
  assert.deepEqual(inOrder(marks, level).map(({place}) => place.path), [1, 5, 50, 2000].map(path))
})

test('details are those of the marked items, and an item that is not as it was seen loses its mark', async () => {
  const mark = index => ({place: Place.ofLink(row(index).href), index, seen: Promise.resolve(row(index))})
  const chosen = [mark(7), mark(2), mark(900)], marks = new Map(chosen.map(each => [each.place.path, each]))
  serving()
  assert.deepEqual((await presentDetails(chosen, marks)).map(({title}) => title), ['r2', 'r7', 'r900'])
  const other = {...mark(1), place: Place.ofLink('/detail/M/r1')}
  assert.deepEqual((await presentDetails([chosen[0], other, chosen[1]], marks)).map(({title}) => title), ['r7', 'r1', 'r2'])
  for (const change of [answer => ({...answer, fieldsVersion: 'other'}), () => null]) {
    const left = new Map(marks)
    serving((link, answer) => link.endsWith('r2') ? change(answer) : answer)
    await assert.rejects(presentDetails(chosen, left), {status: 412, message: '“r2” was changed, renamed or deleted since it was chosen. Choose again.'})
    assert.deepEqual([...left.keys()], [7, 900].map(path))
  }
  assert.deepEqual([alike({title: 'a', count: 1}, {title: 'a', count: 1, fieldsVersion: 'v'}), alike({title: 'a', count: 1}, {title: 'a', count: 2})], [true, false])
})

test('a mark has the detail of its row, or the row itself if the detail is another or cannot be read', async () => {
  serving()
  const level = await opened(), {place, index} = markOf(level, 3), seen = []
  assert.deepEqual([place.path, index], [path(3), 3])
  for (const change of [(_, answer) => answer, (_, answer) => ({...answer, title: 'other'}), () => null]) {
    serving(change)
    seen.push(await markOf(level, 3).seen)
  }
  assert.deepEqual(seen.map(({title, position}) => [title, Boolean(position)]), [['r3', true], ['r3', false], ['r3', false]])
})

test('a batch has at most 1,000 items and about 300,000 characters, and at least one item', () => {
  const items = (count, length) => Array.from({length: count}, (_, index) => String(index).padStart(length))
  assert.deepEqual([lastBatch([]), lastBatch(items(999, 4)).length, lastBatch(items(1000, 4)).length, lastBatch(items(1001, 4))[0].trim()], [[], 999, 1000, '1'])
  assert.deepEqual([lastBatch(items(5, 140_000)).map(Number), lastBatch(items(2, 400_000)).map(Number)], [[3, 4], [1]])
})

test('positions are described by rows that do not move', async () => {
  serving()
  const detail = index => ({...row(index), position: {index, section: 0}, previous: index ? row(index - 1) : null})
  const after = spots => spots.map(({after}) => after?.path ?? null)
  assert.deepEqual(after(await fixedSpots([0, 1, 5, 6, 8].map(detail))), [null, null, path(4), path(4), path(7)])
  const spot = {above: Place.ofLink('/levels/L'), after: Place.ofLink(row(9).href), section: null}
  assert.equal((await fixed(spot, new Map([[path(9), null], [path(8), null]]))).after.path, path(7))
})

test('a position is after a row, or first in a section if there are several', async () => {
  const detail = (index, section) => ({...row(index), position: {index, section}, previous: index ? row(index - 1) : null}), L = Place.ofLink('/levels/L')
  const told = ({after, section}) => [after?.path ?? null, section], sectionsOf = counts => counts.map((count, index) => ({start: index * 2, count})), ends = []
  const answers = (counts, lastChild) => serving((link, answer) => link.startsWith('/levels') ? {...answer, sections: sectionsOf(counts)} : {...answer, position: {index: 2, section: 1}, lastChild})
  const asked = answers([2, 2], row(3))
  assert.deepEqual((await spotsOf([detail(0, 0), detail(1, 0), detail(2, 1)])).map(told), [[null, 0], [path(0), null], [null, 1]])
  assert.deepEqual(asked, ['/levels/L?limit=1&fields='])
  assert.deepEqual(told(await spotIn({above: L, before: Place.ofLink(row(2).href)})), [null, 1])
  for (const [counts, lastChild] of [[[2, 2], row(3)], [[2, 0], row(1)], [[2], row(1)], [[0], null]]) {
    answers(counts, lastChild)
    ends.push(told(await spotIn({above: L})))
  }
  assert.deepEqual(ends, [[path(3), null], [null, 1], [path(1), null], [null, null]])
})

// Answers edits with these statuses, and keeps their bodies.
function answering(...statuses) {
  const bodies = []
  globalThis.fetch = async (_, {body}) => bodies.push(body) && new Response('{"edits": [{"href": "/detail/L/r0"}, null]}', {status: statuses.shift()})
  return bodies
}

test('an edit is repeated with another token after 401 and 403, and not after other refusals', async t => {
  const {ask} = token, asked = [], given = [true, true, false], sent = answering(401, 403, 200, 403, 409)
  t.after(() => token.ask = ask)
  token.ask = async purpose => asked.push(purpose) && given.shift()
  await edit('POST', '/edits', {})
  for (const status of [403, 409]) await assert.rejects(edit('POST', '/edits', {}), {status})
  assert.deepEqual([asked, sent.length], [Array(3).fill('editing'), 5])
})

test('items are deleted from the last, each as it was seen: of a branch, with all below it', async () => {
  const sent = answering(200), made = await deleteAll([{...row(0), leaf: true, version: 'all'}, {...row(1), leaf: false, version: 'all'}])
  assert.deepEqual(made.map(place => place?.path ?? null), [path(0), null])
  assert.deepEqual(JSON.parse(sent[0]), {edits: [{delete: row(1).href, ifMatch: 'all'}, {delete: row(0).href, ifMatch: 'v0'}]})
})

test('deleted items go back where they were, or to the end of the level if that place is gone', async () => {
  const each = {above: Place.ofLink('/levels/L'), item: {type: 'string', value: 'x'}}, spots = body => body.match(/<key>at<.*?(?=<\/dict>)/g)
  const items = [{...each, after: Place.ofLink('/detail/L/a%2Fb'), section: null}, {...each, after: null, section: 0}], last = '<key>at</key><string>last</string>'
  const exact = ['<key>at</key><string>after:a/b</string>', '<key>at</key><string>first</string><key>section</key><integer>0</integer>']
  for (const status of [409, 422]) {
    const sent = answering(status, 200)
    await insertBack(items)
    assert.deepEqual(sent.map(spots), [exact, [last, last]])
  }
  const sent = answering(507)
  await assert.rejects(insertBack(items), {status: 507})
  assert.equal(sent.length, 1)
})
