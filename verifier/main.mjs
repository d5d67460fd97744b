#!/usr/bin/env node
// node verifier/main.mjs FILE [--json]
import { readFileSync } from 'node:fs';
import { EXIT, verifyBytes } from './verify.mjs';

const args = process.argv.slice(2);
const files = args.filter((one) => one !== '--json');
if (files.length !== 1) {
  console.error('usage: node verifier/main.mjs FILE [--json]');
  process.exit(2);
}
let bytes;
try {
  bytes = readFileSync(files[0]);
} catch (error) {
  console.error(`${files[0]} cannot be read: ${error.message}`);
  process.exit(2);
}
const report = verifyBytes(bytes);
if (args.includes('--json')) console.log(JSON.stringify(report));
else {
  console.log(`${report.verdict.toUpperCase()}${report.reason ? `: ${report.reason}` : ''}`);
  for (const { seat, entry, reason } of report.faults) console.log(`seat ${seat} cheated in entry ${entry}: ${reason}`);
}
process.exitCode = EXIT[report.verdict];
