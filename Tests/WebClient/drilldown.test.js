import assert from 'node:assert/strict'
import test from 'node:test'
import './dom.js'

const {concerns, Drilldown, events, Problem, version} = await import('../../Sources/WebClient/drilldown.js')

const stream = (...pieces) => new ReadableStream({start(controller) {
  for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
  controller.close()
}})

const all = async each => {
  const found = []
  for await (const event of each) found.push(event)
  return found
}

test('the version is semantic', () => assert.match(version, /^\d+\.\d+\.\d+$/))

test('events are read wherever the stream is cut, and a heartbeat is an event without anything in it', async () => {
  const text = 'id: a-1\n\nevent: change\nid: a-2\ndata: {"levels":["/levels/Ä"]}\n\n:\n\nevent: reset\ndata:\n\nunfinished'
  const wanted = [
    {type: 'message', id: 'a-1', data: ''}, {type: 'change', id: 'a-2', data: '{"levels":["/levels/Ä"]}'},
    {type: 'message', id: null, data: ''}, {type: 'reset', id: null, data: ''}]
  assert.deepEqual(await all(events(stream(text))), wanted)
  assert.deepEqual(await all(events(stream(...text))), wanted)
})

test('a stream that is quiet for too long ends', async () => {
  assert.deepEqual(await all(events(new ReadableStream(), 1)), [])
})

test('an entry concerns what it names, and what is below only if that is asked for', () => {
  const entry = {levels: ['/levels/A/B'], details: ['/detail/C']}
  assert.deepEqual(['/levels/A/B', '/levels/A/B/', '/levels/A', '/levels/', '/detail/C', '/levels/C'].map(href => concerns(entry, href)),
    [true, true, false, false, true, false])
  assert.deepEqual(['/levels/', '/levels/A', '/levels/A/B/C', '/levels/Ax'].map(href => concerns(entry, href, {below: true})), [true, true, false, false])
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
