import assert from 'node:assert/strict'
import test from 'node:test'
import './dom.js'

const {moveAll} = await import('../../Sources/WebClient/edits.js')
const {MoveStep} = await import('../../Sources/WebClient/history.js')
const {Place} = await import('../../Sources/WebClient/place.js')

// A document of items {title, number, children}, as the service keeps it: siblings of one title are numbered.
class Document {
  constructor(items) {
    this.root = {children: items}
  }

  keys({children}) {
    const seen = new Map(), titles = new Set(children.map(({title}) => title))
    return children.map(({title}) => {
      if (!seen.has(title)) return seen.set(title, 1) && title
      let number = seen.get(title) + 1
      while (titles.has(`${title}~${number}`)) number++
      seen.set(title, number)
      return `${title}~${number}`
    })
  }

  find(link) {
    let item = this.root, above = null, index = -1
    for (const key of link.split('/').slice(2).filter(Boolean)) {
      index = this.keys(item).indexOf(decodeURIComponent(key))
      above = item
      item = item.children[index]
      if (!item) throw 404
    }
    return {item, above, index}
  }

  pathOf(wanted, item = this.root, path = '') {
    const keys = this.keys(item)
    for (const [index, child] of item.children.entries()) {
      const below = path + '/' + keys[index], found = child === wanted ? below : this.pathOf(wanted, child, below)
      if (found) return found
    }
  }

  detail(link) {
    const {item, above, index} = this.find(link), keys = this.keys(above), folder = '/detail' + (this.pathOf(above) ?? '') + '/'
    return {
      href: folder + keys[index], title: item.title, fields: {}, fieldsVersion: 'v' + item.number, position: {section: 0, index},
      previous: index ? {href: folder + keys[index - 1]} : null,
    }
  }

  move({move, to, at}) {
    const {item, above, index} = this.find(move), target = this.find(to).item
    const [kind, key] = at.split(':'), row = key && this.keys(target).indexOf(key), anchor = target.children[row]
    if (row < 0 || anchor === item) throw 409
    above.children.splice(index, 1)
    target.children.splice(kind === 'first' ? 0 : kind === 'last' ? target.children.length : target.children.indexOf(anchor) + 1, 0, item)
    return item
  }

  serve() {
    globalThis.fetch = async (target, {method = 'GET', body} = {}) => {
      const link = target.slice(target.search(/\/(levels|detail|edits)/)).split('?')[0], before = structuredClone(this.root)
      try {
        if (method === 'GET') return Response.json(link.startsWith('/detail') ? this.detail(link) : {sections: [{title: null, start: 0, count: this.find(link).item.children.length}]})
        const {edits} = JSON.parse(body)
        // A condition is on the item that has the path before all steps, and the step must concern this item.
        const named = edits.map(({move}) => this.find(move).item)
        if (edits.some(({ifMatch}, index) => ifMatch !== 'v' + named[index].number)) throw 412
        const moved = edits.map((step, index) => {
          const item = this.move(step)
          if (item !== named[index]) throw 412
          return item
        })
        return Response.json({edits: moved.map(item => ({href: '/detail' + this.pathOf(item)}))})
      } catch (status) {
        if (typeof status !== 'number') throw status
        this.root = before
        return new Response('{}', {status})
      }
    }
  }
}

// Numbers below `end`, the same in each run.
let state = 42
function random(end) {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return Math.floor(state / 2 ** 32 * end)
}

const tree = item => item.children.map(child => [child.number, tree(child)])
const all = item => item.children.flatMap(child => [child, ...all(child)])

const numbers = items => items.map(({number}) => number)

test('marked rows are moved in their order and back again, whatever else has their titles', async () => {
  for (let round = 0; round < 400; round++) {
    let number = 0
    const made = depth => Array.from({length: 2 + random(depth ? 2 : 5)}, () =>
      ({title: 'AAB'[random(3)], number: number++, children: depth < 2 && !random(2) ? made(depth + 1) : []}))
    const document = new Document(made(0)), {root} = document, before = tree(root)
    document.serve()
    const place = item => Place.ofLink('/detail' + (document.pathOf(item) ?? '')), details = items => items.map(item => document.detail(place(item).detail))
    // Rows of one level, or of several levels of an outline, none of them below another.
    const levels = [root, ...all(root)], rows = random(3) ? levels[random(levels.length)].children : all(root), marked = []
    for (const row of rows) if (!random(3) && !marked.some(each => all(each).includes(row))) marked.push(row)
    if (!marked.length) continue
    const others = all(root).filter(row => !marked.some(each => each === row || all(each).includes(row)))
    const target = [root, ...others][random(1 + others.length)], rest = target.children.filter(row => !marked.includes(row))
    const anchor = [null, ...rest][random(1 + rest.length)], spot = {above: place(target), after: anchor && place(anchor), section: null}
    const steps = []
    for (let rest = marked; rest.length;) {
      const seen = details(rest), {made: places, back, others: now} = await moveAll(seen, rest.map(() => spot), false, others.map(place))
      const moved = rest.slice(-places.length)
      rest = rest.slice(0, -places.length)
      steps.push(new MoveStep(places, back, seen.slice(-places.length)))
      assert.deepEqual([places, now], [moved.map(place), others.map(place)])
      Object.assign(spot, {above: place(target), after: anchor && place(anchor)})
    }
    assert.deepEqual(numbers(target.children), numbers(rest.toSpliced(rest.indexOf(anchor) + 1, 0, ...marked)))
    for (let step; (step = steps.pop());) {
      const left = await step.reverse()
      if (left) steps.push(left)
    }
    assert.deepEqual(tree(root), before)
  }
})
