// The menus of a pane: what developers and editors want; sort, group, filter and outline.

import {el, icon, iconButton, on} from './elements.js'
import {menuButton, menuLink, openPanel, tell} from './messages.js'
import {getJSON, token} from './service.js'

// MARK: What developers and editors want at a place: its JSON, the curl command, its address, editing.

export function openMoreMenu(pane, button) {
  const target = pane.target
  const act = action => () => {
    panel.close()
    action()
  }
  const {app} = pane
  const editing = !app.isEditable ? []
    : app.isEditing ? [menuButton('Stop editing', act(() => app.setEditing(false)))]
    : [menuButton('Edit…', act(async () => (await token.ask('editing')) && app.setEditing(true)))]
  const panel = openPanel(button, 'More', [
    menuButton('Copy as curl', act(() => copy(curl(target), 'The command is copied.'))),
    menuButton('Copy address', act(() => copy(location.href, 'The address is copied.'))),
    menuLink('JSON', target),
    ...editing,
  ])
}

// The command for a shell: quoted so that nothing in it is expanded. A token is not part of it.
const curl = target => `curl '${(location.origin + target).replace(/'/g, "'\\''")}'`

async function copy(text, message) {
  try {
    await navigator.clipboard.writeText(text)
    tell(message, {seconds: 3})
  } catch {
    tell(text, {seconds: 30})
  }
}

// MARK: Sort, group, filter and outline of a level. Its fields are those of its first rows.

const OPERATORS = [[':', 'is'], ['<', 'is less than'], ['>', 'is more than'], ['~', 'contains']]

export async function openViewMenu(pane, button) {
  const fields = await fieldNames(pane)
  const {place, app} = pane
  const ask = (values, isStep = true) => app.go(app.end.place.setting({show: null, ...values}), {replace: !isStep})
  const notOutline = {depth: null, expand: null}
  const order = place.value('sort') ?? ''
  const sortField = el('select', {'aria-label': 'Sort by'}, option('', 'Document order'), ...fields.map(name => option(name)))
  sortField.value = fields.includes(order.replace(/^-/, '')) ? order.replace(/^-/, '') : ''
  const descending = el('input.switch', {type: 'checkbox', role: 'switch', 'aria-label': 'Descending'})
  descending.checked = order.startsWith('-')
  const sort = () => ask({...notOutline, sort: sortField.value ? (descending.checked ? '-' : '') + sortField.value : null})
  on(sortField, 'change', sort)
  on(descending, 'change', () => sortField.value && sort())

  const group = el('select', {'aria-label': 'Group by'}, option('', 'As in the document'), option('initial', 'First letter'),
    ...fields.filter(name => name !== 'Title').map(name => option(name)))
  group.value = place.value('group') ?? ''
  on(group, 'change', () => ask({...notOutline, group: group.value || null}))

  const outline = el('input.switch', {type: 'checkbox', role: 'switch', 'aria-label': 'Outline'})
  outline.checked = place.isOutline
  on(outline, 'change', () =>
    ask(outline.checked ? {depth: '1', sort: null, group: null, where: null, q: null} : notOutline))

  openPanel(button, 'Sort, group, filter', [
    el('label.line', 'Sort by', sortField), el('label.line', 'Descending', descending),
    el('label.line', 'Group by', group), filters(pane, fields, ask),
    el('label.line', 'Outline', outline),
  ])
}

const option = (value, text) => el('option', {value}, text ?? value)

async function fieldNames(pane) {
  const query = new URLSearchParams({fields: '*', limit: '50'})
  const answer = await getJSON(`${pane.place.level}?${query}`).catch(() => ({rows: []}))
  const names = new Set(['Title'])
  for (const {fields} of answer.rows) for (const name of Object.keys(fields)) if (!name.includes(',')) names.add(name)
  return [...names]
}

function filters(pane, fields, ask) {
  const holder = el('fieldset', el('legend', 'Filter'))
  const conditions = new URLSearchParams(pane.place.query).getAll('where').map(readCondition)
  const apply = () => ask({
    depth: null, expand: null,
    where: conditions.filter(({value}) => value !== '').map(({field, operator, value}) => field + operator + value),
  }, false)
  const draw = () => {
    holder.replaceChildren(holder.firstChild, ...conditions.map((condition, place) => line(condition, place)),
      el('button.plain', {onclick: () => {
        conditions.push({field: fields[0], operator: '~', value: ''})
        draw()
        holder.querySelector('.condition:last-of-type input').focus()
      }}, icon('add'), 'Add a condition'))
  }
  const line = (condition, place) => {
    const names = fields.includes(condition.field) ? fields : [condition.field, ...fields]
    const field = el('select', {'aria-label': 'Field', onchange: () => (condition.field = field.value, apply())},
      ...names.map(name => option(name)))
    const operator = el('select', {'aria-label': 'Comparison', onchange: () => (condition.operator = operator.value, apply())},
      ...OPERATORS.map(([mark, text]) => option(mark, text)))
    const value = el('input', {'aria-label': 'Value', autocomplete: 'off', oninput: () => (condition.value = value.value, apply())})
    field.value = condition.field
    operator.value = condition.operator
    value.value = condition.value
    return el('div.condition', field, operator, value, iconButton('close', 'Remove the condition', () => {
      conditions.splice(place, 1)
      draw()
      apply()
    }))
  }
  draw()
  return holder
}

function readCondition(text) {
  const [, field, operator, value] = /^([^:<>~]*)([:<>~])(.*)$/s.exec(text) ?? [null, text, ':', '']
  return {field, operator, value}
}
