import assert from 'node:assert/strict'
import test from 'node:test'
import './dom.js'

const {events} = await import('../../Sources/WebClient/service.js')

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
