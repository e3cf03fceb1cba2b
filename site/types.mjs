// Makes src/generated/ from the JSON Schemas that the Python side publishes; --check says whether it is what it would be.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { compile } from 'json-schema-to-typescript';

const SCHEMAS = { published: 'published-1.json', record: 'record-2.json' };
const BANNER = '// Made from benchmarks-data/schema/ by types.mjs: npm run types';

const check = process.argv.includes('--check');
await mkdir('src/generated', { recursive: true });
for (const [name, file] of Object.entries(SCHEMAS)) {
  const schema = JSON.parse(await readFile(`../benchmarks-data/schema/${file}`, 'utf8'));
  const root = schema.$ref ? schema : { ...schema, type: 'object', additionalProperties: false };
  const made = await compile(root, name === 'record' ? 'RecordFile' : 'Published', {
    bannerComment: BANNER,
    unreachableDefinitions: true,
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
  });
  const path = `src/generated/${name}.ts`;
  const there = await readFile(path, 'utf8').catch(() => '');
  if (there === made) continue;
  if (check) {
    console.error(`${path} isn't what the schema says: npm run types`);
    process.exitCode = 1;
  } else {
    await writeFile(path, made);
  }
}
