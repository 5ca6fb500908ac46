/* One pass of expat over a file, with handlers that do nothing: the least that a general XML parser costs. */
#include <expat.h>
#include <stdio.h>

static void begins(void *context, const XML_Char *name, const XML_Char **attributes) {
    (void)context, (void)name, (void)attributes;
}

static void ends(void *context, const XML_Char *name) {
    (void)context, (void)name;
}

static void has_text(void *context, const XML_Char *text, int length) {
    (void)context, (void)text, (void)length;
}

int main(int count, char **arguments) {
    FILE *file = count == 2 ? fopen(arguments[1], "rb") : NULL;
    if (file == NULL) {
        fputs("usage: expat_pass FILE\n", stderr);
        return 2;
    }
    XML_Parser parser = XML_ParserCreate(NULL);
    XML_SetElementHandler(parser, begins, ends);
    XML_SetCharacterDataHandler(parser, has_text);
    for (int last = 0; !last;) {
        void *room = XML_GetBuffer(parser, 1 << 18);
        size_t taken = room == NULL ? 0 : fread(room, 1, 1 << 18, file);
        last = taken < 1 << 18;
        if (room == NULL || XML_ParseBuffer(parser, (int)taken, last) == XML_STATUS_ERROR) {
            fprintf(stderr, "expat_pass: %s\n", XML_ErrorString(XML_GetErrorCode(parser)));
            return 1;
        }
    }
    XML_ParserFree(parser);
    fclose(file);
    return 0;
}
