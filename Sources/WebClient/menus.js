// The menus of a pane: what developers and editors want; sort, group, filter and outline.

import {choiceField, el, icon, iconButton, stop, toggleSwitch} from './elements.js'
import {openPanel, tell} from './messages.js'
import {Place} from './place.js'
import {getJSON, openTab, token} from './service.js'

// MARK: What developers and editors want at a place: its JSON, the curl command, its address, editing.

export function openMoreMenu(pane, button) {
  const {app, target} = pane
  const item = (text, action) => el('button.menu-item', {onclick: ({target}) => {
    target.parentNode.hidePopover()
    action()
  }}, text)
  openPanel(button, 'More', [
    item('Copy as curl', () => copy(curl(target), 'The command is copied.')),
    item('Copy address', () => copy(location.href, 'The address is copied.')),
    el('a.menu-item', {href: target, target: '_blank', rel: 'noopener', onclick: event => token.value && (stop(event), openTab(target))}, 'JSON'),
    app.isEditable && (app.isEditing ? item('Stop editing', () => app.setEditing(false))
      : item('Edit…', async () => await token.ask('editing') && app.setEditing(true))),
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
  const names = await fieldNames(pane.place)
  // The pane may have been closed meanwhile.
  if (!button.isConnected) return
  const {place, app} = pane
  const ask = (values, replace = false) => app.go(pane.place.setting({show: null, ...values}), {replace})
  const inRows = (values, replace) => ask({depth: null, expand: null, ...values}, replace)
  const order = place.value('sort') ?? ''
  const sort = () => {
    descending.disabled = !field.value
    inRows({sort: field.value && (descending.checked ? '-' : '') + field.value || null})
  }
  const fields = names.map(name => [name])
  const field = choiceField('Sort by', [['', 'Document order'], ...fields], order.replace(/^-/, ''), sort)
  const descending = toggleSwitch('Descending', order.startsWith('-'), {disabled: !order, onchange: sort})
  const group = choiceField('Group by', [['', 'As in the document'], ['initial', 'First letter'], ...fields.slice(1)], place.value('group') ?? '',
    () => inRows({group: group.value || null}))
  const outline = toggleSwitch('Outline', place.isOutline, {onchange: () =>
    outline.checked ? ask({depth: '1', sort: null, group: null, where: null, q: null}) : inRows()})
  openPanel(button, 'Sort, group, filter', [
    ...[field, descending, group].map(line), filters(place, names, inRows), line(outline),
  ])
}

const line = field => el('label.line', field.ariaLabel, field)

async function fieldNames(place) {
  const answer = await getJSON(new Place(place.segments).asking({fields: '*', limit: 50})).catch(() => ({rows: []}))
  const names = answer.rows.flatMap(({fields}) => Object.keys(fields))
  return [...new Set(['Title', ...names.filter(name => !name.includes(','))])]
}

function filters(place, names, ask) {
  const holder = el('fieldset')
  const conditions = new URLSearchParams(place.query).getAll('where').map(readCondition)
  const apply = () => ask({where: conditions.filter(([, , value]) => value).map(parts => parts.join(''))}, true)
  const draw = () => holder.replaceChildren(el('legend', 'Filter'), ...conditions.map(condition), el('button.plain', {onclick: () => {
    conditions.push([names[0], '~', ''])
    draw()
    holder.querySelector('.condition:last-of-type input').focus()
  }}, icon('add'), 'Add a condition'))
  // A condition is [field, operator, value].
  const condition = (parts, index) => {
    const change = part => ({target}) => {
      parts[part] = target.value
      apply()
    }
    return el('div.condition',
      choiceField('Field', [...new Set([parts[0], ...names])].map(name => [name]), parts[0], change(0)),
      choiceField('Comparison', OPERATORS, parts[1], change(1)),
      el('input', {ariaLabel: 'Value', autocomplete: 'off', value: parts[2], oninput: change(2)}),
      iconButton('close', 'Remove the condition', () => {
        conditions.splice(index, 1)
        draw()
        apply()
      }))
  }
  draw()
  return holder
}

const readCondition = text => /^([^:<>~]*)([:<>~])(.*)$/s.exec(text)?.slice(1) ?? [text, ':', '']
