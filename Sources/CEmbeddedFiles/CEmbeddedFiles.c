#include "CEmbeddedFiles.h"

/* The compiler reads the files (#embed of C23). The same bytes in an array literal of Swift take most of a minute. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const struct drilldown_file web_client[] = {
    {"app.js", (const char[]){
#embed "../WebClient/app.js" suffix(, 0)
    }},
    {"client.css", (const char[]){
#embed "../WebClient/client.css" suffix(, 0)
    }},
    {"columns.js", (const char[]){
#embed "../WebClient/columns.js" suffix(, 0)
    }},
    {"detail-pane.js", (const char[]){
#embed "../WebClient/detail-pane.js" suffix(, 0)
    }},
    {"dialogs.js", (const char[]){
#embed "../WebClient/dialogs.js" suffix(, 0)
    }},
    {"dragging.js", (const char[]){
#embed "../WebClient/dragging.js" suffix(, 0)
    }},
    {"drilldown.d.ts", (const char[]){
#embed "../WebClient/types/drilldown.d.ts" suffix(, 0)
    }},
    {"drilldown.js", (const char[]){
#embed "../WebClient/drilldown.js" suffix(, 0)
    }},
    {"edit-form.js", (const char[]){
#embed "../WebClient/edit-form.js" suffix(, 0)
    }},
    {"editing.css", (const char[]){
#embed "../WebClient/editing.css" suffix(, 0)
    }},
    {"editor.js", (const char[]){
#embed "../WebClient/editor.js" suffix(, 0)
    }},
    {"edits.js", (const char[]){
#embed "../WebClient/edits.js" suffix(, 0)
    }},
    {"elements.js", (const char[]){
#embed "../WebClient/elements.js" suffix(, 0)
    }},
    {"history.js", (const char[]){
#embed "../WebClient/history.js" suffix(, 0)
    }},
    {"index.html", (const char[]){
#embed "../WebClient/index.html" suffix(, 0)
    }},
    {"level-head.js", (const char[]){
#embed "../WebClient/level-head.js" suffix(, 0)
    }},
    {"level-pane.js", (const char[]){
#embed "../WebClient/level-pane.js" suffix(, 0)
    }},
    {"level.js", (const char[]){
#embed "../WebClient/level.js" suffix(, 0)
    }},
    {"list.js", (const char[]){
#embed "../WebClient/list.js" suffix(, 0)
    }},
    {"marks.js", (const char[]){
#embed "../WebClient/marks.js" suffix(, 0)
    }},
    {"menus.js", (const char[]){
#embed "../WebClient/menus.js" suffix(, 0)
    }},
    {"messages.js", (const char[]){
#embed "../WebClient/messages.js" suffix(, 0)
    }},
    {"place.js", (const char[]){
#embed "../WebClient/place.js" suffix(, 0)
    }},
    {"plist.js", (const char[]){
#embed "../WebClient/plist.js" suffix(, 0)
    }},
    {"row.js", (const char[]){
#embed "../WebClient/row.js" suffix(, 0)
    }},
    {"search.js", (const char[]){
#embed "../WebClient/search.js" suffix(, 0)
    }},
    {"service.js", (const char[]){
#embed "../WebClient/service.js" suffix(, 0)
    }},
    {0, 0},
};

const struct drilldown_file *drilldown_web_client(void) { return web_client; }

static const char openapi_json[] = {
#embed "../LevelsAPI/Description/openapi.json" suffix(, 0)
};

const char *drilldown_openapi_json(void) { return openapi_json; }
