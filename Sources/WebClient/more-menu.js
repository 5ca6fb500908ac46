// What developers and editors want at a place: its JSON, the curl command, its address, editing.

import {token} from './api.js'
import {menuButton, menuLink, openPanel} from './menu.js'
import {tell} from './notices.js'

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
