import assert from 'node:assert/strict'
import test from 'node:test'
import './dom.js'

const {concerns, Drilldown, Problem, version} = await import('../../Sources/WebClient/drilldown.js')

test('the version is semantic', () => assert.match(version, /^\d+\.\d+\.\d+$/))

test('an entry concerns the levels that it names and those whose rows have other fields, and what is below only if that is asked for', () => {
  const entry = {levels: ['/levels/A/B'], details: ['/detail/C/D']}
  assert.deepEqual(['/levels/A/B', '/levels/A/B/', '/levels/A', '/levels/', '/levels/C', '/levels/C/D'].map(href => concerns(entry, href)),
    [true, true, false, false, true, false])
  assert.deepEqual(['/levels/', '/levels/A', '/levels/A/B/C', '/levels/Ax', '/levels/C/D'].map(href => concerns(entry, href, {below: true})),
    [true, true, false, false, false])
  assert.equal(concerns({levels: [], details: ['/detail/C']}, '/levels/'), true)
  assert.equal(concerns({truncated: true, levels: [], details: []}, '/levels/Z'), true)
})

// Answers requests in turn, and keeps what was asked.
function answering(...answers) {
  const asked = []
  globalThis.fetch = async (address, {method, headers, body}) => {
    asked.push([method, address, headers['If-Match'], body])
    const [status, content] = answers.shift()
    return new Response(JSON.stringify(content), {status})
  }
  return asked
}

const service = () => new Drilldown({address: 'http://host/music/', token: 'secret', store: null})
const first = {href: '/detail/First', fieldsVersion: 'v1', fields: {Note: 'a', Other: 1}}

test('options are added to those of a link', async () => {
  const asked = answering([200, {}], [200, {}], [200, {}])
  await service().get('/levels/', {q: 'a b'})
  await service().get('/levels/?limit=2', {sort: '-Title'})
  await service().get('/levels/')
  assert.deepEqual(asked.map(each => each[1]), ['/levels/?q=a+b', '/levels/?limit=2&sort=-Title', '/levels/'].map(link => 'http://host/music' + link))
})

test('a save is repeated where other fields were changed', async () => {
  const asked = answering([412, {}], [200, {...first, fieldsVersion: 'v2', fields: {Note: 'a', Other: 2}}], [200, {saved: true}])
  assert.deepEqual(await service().save(first, {Note: 'b'}), {saved: true})
  assert.deepEqual(asked.map(each => [each[0], each[2], each[3]]), [['PATCH', '"v1"', '{"Note":"b"}'], ['GET', undefined, undefined], ['PATCH', '"v2"', '{"Note":"b"}']])
})

test('a save of a field that was changed is refused with the present detail, also where it was removed', async () => {
  for (const [fields, now] of [[{Note: 'b'}, {Note: 'c', Other: 1}], [{Note: 'b'}, {Other: 1}], [{Note: null}, {Note: 'c'}]]) {
    answering([412, {detail: 'It is another now.'}], [200, {...first, fields: now}])
    await assert.rejects(service().save(first, fields), error => {
      assert.deepEqual([error instanceof Problem, error.status, error.message, error.fields, error.theirs.fields], [true, 412, 'It is another now.', ['Note'], now])
      return true
    })
  }
})

test('a save of a value that is there already is no conflict', async () => {
  answering([412, {}], [200, {...first, fieldsVersion: 'v2', fields: {Note: 'b', Other: 1}}], [200, {saved: true}])
  assert.deepEqual(await service().save(first, {Note: 'b'}), {saved: true})
})

test('a deletion has no answer', async () => {
  globalThis.fetch = async () => new Response(null, {status: 204})
  assert.equal(await service().send('DELETE', '/detail/First'), null)
})

// Answers `/changes` in turn, and then never again; everything else with `contents`, by its link. Keeps what was asked.
function changing(contents, ...changes) {
  const asked = []
  globalThis.fetch = async (address, {headers}) => {
    const link = address.replace('http://host/music', '')
    asked.push(link)
    if (!link.startsWith('/changes')) return new Response(JSON.stringify(contents[link]))
    const change = await changes.shift()
    return change ? new Response(JSON.stringify({revision: `r${4 - changes.length}`, changes: change})) : new Promise(() => {})
  }
  return asked
}

// What a watch shows, as promises in turn.
function shown(link, query) {
  const waiting = [], answers = []
  const next = () => new Promise(resolve => answers.length ? resolve(answers.shift()) : waiting.push(resolve))
  service().watch(link, answer => waiting.length ? waiting.shift()(answer) : answers.push(answer), query)
  return next
}

test('a watch reads its level again when the fields of a row are others, and not for another level', async () => {
  const contents = {'/levels/A?fields=Price': {version: 'v1'}}
  let change
  const changed = new Promise(resolve => change = () => resolve([{levels: [], details: ['/detail/A/B']}]))
  const asked = changing(contents, [], [{levels: [], details: ['/detail/B/C']}], changed)
  const next = shown('/levels/A', {fields: 'Price'})
  assert.deepEqual(await next(), {version: 'v1'})
  contents['/levels/A?fields=Price'] = {version: 'v2'}
  change()
  assert.deepEqual(await next(), {version: 'v2'})
  assert.deepEqual(asked.sort(), ['/changes', '/changes?since=r2&wait=30', '/changes?since=r3&wait=30', '/changes?since=r4&wait=30',
    '/levels/A?fields=Price', '/levels/A?fields=Price'])
})
