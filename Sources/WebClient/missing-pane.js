// What is shown where there is nothing: the reason, and the way to what is there.

import {getJSON, Problem} from './api.js'
import {coalesced, el} from './dom.js'
import {Place} from './place.js'

export class MissingPane {
  kind = 'missing'

  constructor(app, place, problem) {
    this.app = app
    this.place = place
    const near = problem.body.nearest ?? (problem.body.parameter ? place.level : '/levels/')
    this.heading = el('h2', {tabindex: '-1'}, problem.body.title ?? 'Not found')
    this.element = el('section', {class: 'pane missing', 'aria-label': 'Not found'},
      el('div', {class: 'apology'}, this.heading, el('p', {dir: 'auto'}, problem.message),
        el('p', null, el('a', {href: Place.ofLink(near).address}, 'Go to what is there'))))
  }

  get title() {
    return this.heading.textContent
  }

  concernedBy() {
    return true
  }

  // What is missing may come back.
  refresh = coalesced(async () => {
    try {
      await getJSON(`${this.place.level}?${this.place.levelQuery}`)
    } catch (error) {
      if (error instanceof Problem) return
      throw error
    }
    this.app.turned(this)
  })

  redrawAll() {}

  end() {
    this.element.remove()
  }
}
