import assert from 'node:assert/strict'
import test from 'node:test'
import './dom.js'

const {connection, events, live, request} = await import('../../Sources/WebClient/service.js')

const stream = (...pieces) => new ReadableStream({start(controller) {
  for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
  controller.close()
}})

const all = async each => {
  const found = []
  for await (const event of each) found.push(event)
  return found
}

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

test('anything may have changed before the first event of a stream; the next stream goes on after the last event', async () => {
  const heard = [], asked = []
  const answers = [
    stream('id: a-1\n\n', 'event: change\nid: a-2\ndata: {"revision":"a-2"}\n\n'),
    stream('event: change\nid: a-3\ndata: {"revision":"a-3"}\n\n', ':\n\n'), 410,
    stream('id: b-7\n\n', 'event: reset\ndata:\n\n', 'id: b-9\n\n'), 403]
  for (const type of ['reset', 'change', 'beat']) live.addEventListener(type, event => heard.push(event.detail?.revision ?? type))
  globalThis.fetch = async (_, {headers}) => {
    asked.push(headers['Last-Event-ID'])
    const answer = answers.shift()
    return answer > 0 ? new Response('{}', {status: answer}) : new Response(answer)
  }
  await live.follow()
  assert.deepEqual(heard, ['reset', 'beat', 'a-2', 'a-3', 'beat', 'reset', 'reset', 'beat', 'reset', 'reset', 'beat'])
  assert.deepEqual(asked, [undefined, 'a-2', 'a-3', undefined, 'b-9'])
})

test('a request is repeated until the service answers, and an answer that cannot be read three more times', async () => {
  const pauses = [], json = '{"count": 5}'
  connection.pause = async attempt => pauses.push(attempt)
  const answers = [502, 503, 504, json]
  globalThis.fetch = async () => {
    const answer = answers.shift()
    if (!answer) throw new TypeError('no network')
    return new Response(answer > 0 ? '{}' : answer, {status: answer > 0 ? answer : 200})
  }
  assert.deepEqual(await request('/levels/'), {count: 5})
  answers.push(0, 0, json)
  assert.deepEqual(await request('/levels/'), {count: 5})
  answers.push('<', '<', '<', '<', json)
  await assert.rejects(request('/levels/'), {status: 200, message: 'The answer is not what was asked for.'})
  assert.deepEqual(pauses, [0, 1, 2, 0, 1, 0, 1, 2])
  assert.equal(answers.length, 1)
  answers.unshift(500)
  await assert.rejects(request('/levels/'), {status: 500})
})
