// Uses the client for TypeScript that openapi-generator makes (generated_clients.py), and prints what it was given.

import {
    Configuration, Detail, DetailApi, EditsApi, Level, LevelsApi, MovesApi, Problem, ProblemFromJSON, ProblemsApi, ResponseError,
} from "./client";

declare const process: { argv: string[] };

async function problem(answer: Promise<unknown>): Promise<Problem | null> {
    try {
        await answer;
        return null;
    } catch (error) {
        if (error instanceof ResponseError) return ProblemFromJSON(await error.response.json());
        throw error;
    }
}

async function main(basePath: string, accessToken: string, name: string): Promise<void> {
    const configuration = new Configuration({ basePath, accessToken });
    const levels = new LevelsApi(configuration);
    const details = new DetailApi(configuration);

    const page: Level = await levels.getLevel({ limit: 1 });
    const level = await levels.getLevel1({ key1: "Item 4", fields: "*" });
    const row = (level.rows ?? [])[0];
    const path = { key1: "Item 4", key2: row.key };
    const detail: Detail = await details.getDetail2(path);

    const ifMatch = `"${detail.fieldsVersion}"`;
    const changed = await details.patchItem2({ ...path, ifMatch, requestBody: { Subtitle: name } });
    const late = await problem(details.patchItem2({ ...path, ifMatch, requestBody: { Subtitle: "late" } }));
    const delta = await levels.getLevel1({ key1: "Item 4", fields: "*", since: level.version });

    const leaf = await levels.addItem1({ key1: "Item 4", at: "first", item: "Leaf" });
    const added = await levels.addItem1({ key1: "Item 4", item: { title: "New", Price: 2 } });
    const put = await details.putItem2({ key1: "Item 4", key2: "New", item: { title: "New", Price: 3 } });
    const moved = await new MovesApi(configuration).moveItem({ move: { from: leaf.href, to: "/levels/", at: 0 } });
    await details.deleteItem1({ key1: "Leaf" });
    const edits = await new EditsApi(configuration).doEdits({
        editSteps: { edits: [{ _delete: added.href }, { patch: { Subtitle: null }, of: detail.href }] },
    });

    const missing = await problem(details.getDetail1({ key1: "Nothing" }));
    const kinds = new ProblemsApi(configuration);
    const kind = await kinds.getProblemsOfKind({ kind: "no-such-item" });
    const all = await kinds.getProblems();
    console.log(JSON.stringify({
        page: [(page.rows ?? []).map(row => row.key), page.next],
        level: [row.key, row.fieldsVersion === detail.fieldsVersion, level.since ?? null],
        detail: [detail.title, detail.fields["Title"], detail.position.of],
        edit: [changed.fields["Subtitle"], late?.status, late?.currentFields === changed.fieldsVersion],
        delta: [delta.rows ?? null, (delta.updated ?? []).map(updated => updated.row.fields["Subtitle"]), delta.removed],
        edits: [added.fields["Price"], put.fields["Price"], moved.href, ...edits.edits.map(edit => edit?.href ?? "")],
        missing: [missing?.type, missing?.status, missing?.nearest],
        kinds: ["explanation" in kind && kind.status, "problems" in all && all.problems.length > 1],
    }));
}

main(process.argv[2], process.argv[3], process.argv[4]);
