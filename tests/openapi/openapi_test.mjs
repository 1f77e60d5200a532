// spec/openapi.yaml is a valid description, and one from which programs can generate good clients.
//
// Usage: node openapi_test.mjs, from the root of the tree, after ./dev setup test.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import path from "node:path";
import test from "node:test";

const require = createRequire(path.resolve("build/npm/package.json"));
const SwaggerParser = require("@apidevtools/swagger-parser");

const parsed = () => SwaggerParser.parse("spec/openapi.yaml");

// Every object in `node`, with its place, references followed once.
function* objectsIn(document, node, place, seen = new Set()) {
  if (node === null || typeof node !== "object" || seen.has(node)) return;
  seen.add(node);
  yield [place, node];
  if (typeof node.$ref === "string") {
    const names = node.$ref.replace("#/", "").split("/");
    const target = names.reduce((found, name) => found[name], document);
    yield* objectsIn(document, target, node.$ref, seen);
  }
  for (const [name, value] of Object.entries(node))
    yield* objectsIn(document, value, `${place}/${name}`, seen);
}

// The schemas of every request's body, with what they are made of.
function* schemasOfRequests(document) {
  const seen = new Set();
  for (const [name, item] of Object.entries(document.paths)) {
    for (const operation of Object.values(item)) {
      for (const [place, node] of objectsIn(document, operation.requestBody, name)) {
        if (node.schema) yield* objectsIn(document, node.schema, place, seen);
      }
    }
  }
}

test("the description is valid", async () => {
  await SwaggerParser.validate(await parsed());
});

test("a member that nobody knows makes a description invalid", async () => {
  const document = await parsed();
  document.tags[0]["reading and changing jobs."] = null;
  await assert.rejects(SwaggerParser.validate(document), /tags/);
});

// A generator takes a member with a default for one that is always there, and has callers give it.
test("what a request may leave out has no default", async () => {
  const schemas = [...schemasOfRequests(await parsed())];
  assert(schemas.length > 100);
  const wrong = schemas.filter(([, node]) => "default" in node && "type" in node);
  assert.deepEqual(wrong.map(([place]) => place), []);
});

// A generator makes one type of it, and the other does not compile: these are oneOf.
test("no schema is an object and an array at once", async () => {
  const document = await parsed();
  const wrong = [...objectsIn(document, document, "#")].filter(
    ([, node]) => Array.isArray(node.type) && node.type.includes("object") && node.type.includes("array"));
  assert.deepEqual(wrong.map(([place]) => place), []);
});
