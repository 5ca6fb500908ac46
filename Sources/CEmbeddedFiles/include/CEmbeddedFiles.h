#ifndef DRILLDOWN_CEMBEDDEDFILES_H
#define DRILLDOWN_CEMBEDDEDFILES_H

/* A file that is part of the program. */
struct drilldown_file {
    /* The name, with its extension. */
    const char *name;
    /* The content, which ends with a zero byte. */
    const char *text;
};

/* Returns the files of the web client, in the order of their names. The name of the element after the last one is null. */
const struct drilldown_file *drilldown_web_client(void);

/* Returns the description of the service, without what the tables of the service add. */
const char *drilldown_openapi_json(void);

#endif
