// The client begins here.

import {App} from './app.js'
import {live} from './live.js'
import {watchState} from './notices.js'

watchState()
new App().begin()
live.follow()
