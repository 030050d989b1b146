/* SPDX-License-Identifier: BSD-2-Clause */
/* points.csv, written from the same table of fields as the JSON. */
#include "core/report/csv.h"

#include "core/lib/decimal.h"
#include "core/lib/text.h"
#include "core/results/fields.h"

#define CSV_LINE_MAX 2048

void csv_start(struct csv *csv, const struct text_sink *sink)
{
    csv->sink = *sink;
    csv->header_written = false;
}

/* RFC 4180: quotes around text with a comma, a quote or a line end. */
static void csv_text(struct text *line, const char *words)
{
    bool quoted = false;

    for (size_t i = 0; words != NULL && words[i] != '\0'; i++)
        quoted =
            quoted || words[i] == ',' || words[i] == '"' || words[i] == '\n' || words[i] == '\r';
    if (!quoted) {
        text_add(line, words);
        return;
    }
    text_char(line, '"');
    for (size_t i = 0; words[i] != '\0'; i++) {
        if (words[i] == '"')
            text_char(line, '"');
        text_char(line, words[i]);
    }
    text_char(line, '"');
}

static void csv_value(struct text *line, const struct record_field *field, const void *pos)
{
    struct decimal_parts parts;

    switch (field->kind) {
    case FIELD_TEXT:
        csv_text(line, *(const char *const *)pos);
        break;
    case FIELD_PAGES:
        text_add(line, page_bytes_name(*(const uint64_t *)pos));
        break;
    case FIELD_PREFETCH:
        text_add(line, prefetch_state_name(*(const enum prefetch_state *)pos));
        break;
    case FIELD_ANSWER:
        if (*(const enum answer *)pos != ANSWER_UNKNOWN)
            text_add(line, *(const enum answer *)pos == ANSWER_YES ? "true" : "false");
        break;
    case FIELD_REAL:
        parts = decimal_split(*(const double *)pos);
        if (!parts.nan && !parts.infinite)
            text_shortest(line, *(const double *)pos);
        break;
    default:
        if (*(const uint64_t *)pos != RECORD_UNKNOWN)
            text_format(line, "%lu", *(const uint64_t *)pos);
        break;
    }
}

static void csv_header(struct csv *csv, const struct record_fields *fields)
{
    char buffer[CSV_LINE_MAX];
    struct text line;

    text_start(&line, buffer, sizeof(buffer));
    for (size_t i = 0; i < fields->count; i++)
        text_format(&line, i > 0 ? ",%s" : "%s", record_field_name(&fields->field[i]));
    text_char(&line, '\n');
    csv->sink.write(csv->sink.context, buffer, line.used);
    csv->header_written = true;
}

void csv_record(void *context, const struct record *record)
{
    struct csv *csv = context;
    struct record_fields fields = record_fields_of(RECORD_POINT);
    char buffer[CSV_LINE_MAX];
    struct text line;

    if (record->kind != RECORD_POINT)
        return;
    if (!csv->header_written)
        csv_header(csv, &fields);
    text_start(&line, buffer, sizeof(buffer));
    for (size_t i = 0; i < fields.count; i++) {
        text_add(&line, i > 0 ? "," : "");
        csv_value(&line, &fields.field[i],
                  (const char *)record_body(record) + fields.field[i].offset);
    }
    text_char(&line, '\n');
    csv->sink.write(csv->sink.context, buffer, line.used);
}
