// The ready-made hook on the rules of secretlint: secrets that we made up in the shape of real ones, and texts that hold none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import { memory, openSession, type ChatMessage } from 'compaction-governor';
import { withoutSecrets } from 'compaction-governor/redact';

const SEED = 0x5ec2e75;
console.log(`seed ${SEED}`);
let state = SEED;
function random(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return (state >>> 8) % below;
}
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = UPPER.toLowerCase();
const DIGITS = '0123456789';
const WORD = UPPER + LOWER + DIGITS;
const of = (length: number, letters = WORD): string => Array.from({ length }, () => letters[random(letters.length)]).join('');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const pem = (kind: string, begin: string, join: string): string => `-----BEGIN ${kind}-----${join}${begin}${Array.from({ length: 6 }, () => of(60)).join(join)}${join}-----END ${kind}-----`;

/** What must not survive, and the text around it. */
type Sample = readonly [rule: string, secret: string, text: (secret: string) => string];
const bare = (secret: string): string => `I put ${secret} into the file, is that right?`;
const samples = (): readonly Sample[] => [
  ['aws', of(40), (secret) => `AWS_SECRET_ACCESS_KEY=${secret}`],
  ['aws', of(40), (secret) => `aws_secret_access_key = "${secret}"`],
  ['npm', `npm_${of(36)}`, bare],
  ['npm', of(36, LOWER + DIGITS), (secret) => `//registry.example.com/:_authToken=${secret}`],
  ['npm', of(40, LOWER + DIGITS), (secret) => `"dependencies": { "x": "https://${secret}:x-oauth-basic@github.com/acme/x" }`],
  ['slack', `xoxb-${of(12, DIGITS)}-${of(13, DIGITS)}-${of(24)}`, bare],
  ['slack', `xoxp-${of(11, DIGITS)}-${of(11, DIGITS)}-${of(11, DIGITS)}-${of(32)}`, bare],
  ['slack', `xapp-1-A${of(10, UPPER + DIGITS)}-${of(13, DIGITS)}-${of(64, LOWER + DIGITS)}`, bare],
  ['slack', `https://hooks.slack.com/services/T${of(8, UPPER + DIGITS)}/B${of(8, UPPER + DIGITS)}/${of(24)}`, bare],
  ['basicauth', of(16), (secret) => `curl https://deploy:${secret}@build.acme.io/artifacts`],
  ['basicauth', of(12), (secret) => `ftp://backup:${secret}@files.acme.io/`],
  ['openai', `sk-proj-${of(74)}T3BlbkFJ${of(74)}`, bare],
  ['openai', `sk-svcacct-${of(58)}T3BlbkFJ${of(58)}`, bare],
  ['openai', `sk-${of(20)}T3BlbkFJ${of(20)}`, bare],
  ['anthropic', `sk-ant-api03-${of(93)}AA`, bare],
  ['groq', `gsk_${of(52)}`, bare],
  ['huggingface', `hf_${of(34, UPPER + LOWER)}`, bare],
  ['linear', `lin_api_${of(40)}`, bare],
  ['notion', `ntn_${of(11, DIGITS)}${of(35)}`, bare],
  ['privatekey', pem('RSA PRIVATE KEY', 'MIIEowIBAAKCAQEA', '\n'), (secret) => `cat id_rsa\n${secret}\n`],
  ['privatekey', pem('PRIVATE KEY', 'MIIEvQIBADANBgkq', '\n'), (secret) => `cat key.pem\n${secret}\n`],
  ['privatekey', pem('OPENSSH PRIVATE KEY', 'b3BlbnNzaC1rZXktdjE', '\n'), (secret) => `cat id_ed25519\n${secret}\n`],
  ['gcp', pem('PRIVATE KEY', 'MIIEvQIBADANBgkq', '\\n'), (secret) => `{"type":"service_account","private_key_id":"1","private_key":"${secret}\\n"}`],
  ['sendgrid', `SG.${of(22)}.${of(43)}`, bare],
  ['shopify', `shpat_${of(32, 'abcdef' + DIGITS)}`, bare],
  ['shopify', `shpss_${of(32, 'abcdef' + DIGITS)}`, bare],
  ['github', `ghp_${of(36)}`, bare],
  ['github', `gho_${of(36)}`, bare],
  ['github', `ghs_${of(36)}`, (secret) => `{"authorization":"Bearer ${secret}"}`],
  ['github', `github_pat_${of(22)}_${of(59)}`, bare],
  ['gitlab', `glpat-${of(20)}`, bare],
  ['grafana', `glsa_${of(32)}_${of(8, 'abcdef' + DIGITS)}`, bare],
  ['1password', `ops_${base64(JSON.stringify({ signInAddress: 'acme.1password.com', userAuth: { method: 'SRPg-4096' }, email: 'a@acme.io', srpX: of(64, 'abcdef' + DIGITS), muk: { k: of(43) }, secretKey: of(40), throttleSecret: { seed: of(64), uuid: of(26) }, deviceUuid: of(27) }))}`, bare],
  ['database-connection-string', of(18), (secret) => `DATABASE_URL=postgres://app:${secret}@db.acme.io:5432/app`],
  ['database-connection-string', of(18), (secret) => `mysql://root2:${secret}@10.1.2.3:3306/shop`],
  ['database-connection-string', of(18), (secret) => `mongodb+srv://app:${secret}@cluster0.acme.io/app?w=majority`],
  ['hashicorp-vault', `hvs.${of(95)}`, bare],
  ['hashicorp-vault', `hvb.${of(150)}`, bare],
  ['vercel', `vcp_${of(24)}`, bare],
  ['databricks', `dapi${of(32, 'abcdef' + DIGITS)}`, bare],
  ['docker', `dckr_pat_${of(27)}`, bare],
  ['figma', `figd_${of(40)}`, bare],
];

const innocent: readonly string[] = [
  'The user wants the report by Friday; the second draft was too long, so keep it under two pages.',
  'Der Schlüssel liegt unter der Matte, das Passwort kennt nur Frau Müller.',
  '鍵は机の上にあります。パスワードは後で送ります。',
  'const token = await getToken(); if (!token) throw new Error("no token for " + user.id);',
  'export DATABASE_URL=postgres://localhost:5432/app && npm run migrate',
  'GET https://api.acme.io/v1/users/8f14e45f-ceea-467f-a8d2-7d1b0c3f9b2a?fields=id,name 200 in 31 ms',
  'commit 9fceb02d0ae598e95dc970b74767f19372d61af8 (HEAD -> main, origin/main)',
  'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU= and call_9b1deb4d3b7d4bad9bdd2b0d7b3dcb6d',
  'toolu_01A09q90qw90lq917835lq9 answered msg_01XFDUDYJgAACzvnptvVoYEL',
  'the order 4711-0815 of 2024-03-01 costs 1,299.00 EUR, VAT 19 %',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'npm_config_registry=http://localhost:4873 npm ci --ignore-scripts',
  'ssh git@github.com && git clone https://github.com/acme/widgets.git',
  'see src/formats/ai-sdk/model-parts.ts:42 and /var/log/nginx/access.log',
  'mailto:someone@example.com?subject=hello',
  'The class SG.Widget is in hvs.js, its figma file is figd_draft, and xoxb stands for a bot.',
  '-----BEGIN CERTIFICATE-----\nMIIBszCCARwCCQDJ\n-----END CERTIFICATE-----',
];

const redact = withoutSecrets(rules);

test('each kind of secret goes, what stands around it stays, and a second pass finds nothing', async () => {
  const kinds = new Set<string>();
  for (const [rule, secret, text] of samples()) {
    kinds.add(rule);
    const given = await redact(text(secret));
    assert.ok(!given.includes(secret) && given.includes('[redacted: '), `${rule}: ${given}`);
    assert.equal(await redact(given), given, rule);
    assert.equal(await redact(`before ${given} after`), `before ${given} after`, rule);
  }
  const known = rules.map(({ meta }) => meta.id.replace('@secretlint/secretlint-rule-', '')).filter((name) => name !== 'filter-comments');
  assert.deepEqual([...kinds].sort(), known.sort(), 'a sample for each rule of the set');
});

test('prose, code and ids are left alone', async () => {
  for (const text of innocent) assert.equal(await redact(text), text);
});

test('a text cannot switch the rules off, and two secrets in one go both', async () => {
  const [one, two] = [`ghp_${of(36)}`, `glpat-${of(20)}`];
  assert.equal(await redact(`// secretlint-disable\n${one} and ${two} // secretlint-disable-line`), '// secretlint-disable\n[redacted: github] and [redacted: gitlab] // secretlint-disable-line');
});

test('a rule takes options, a rule of your own works, and no rule at all is refused', async () => {
  const id = 'AKIA' + of(16, UPPER + DIGITS);
  assert.equal(await redact(id), id, 'an id alone opens nothing');
  assert.equal(await withoutSecrets(rules, { '@secretlint/secretlint-rule-aws': { enableIDScanRule: true } })(id), '[redacted: aws]');
  const own = { meta: { id: 'acme' }, create: (context: { report(found: { range: [number, number] }): void }) => ({ file: async ({ content }: { content: string }) => { await new Promise((resolve) => setTimeout(resolve, 2)); for (const { index, 0: found } of content.matchAll(/acme-\d+/g)) context.report({ range: [index, index + found.length] }); } }) };
  assert.equal(await withoutSecrets([own])('acme-1 and acme-22'), '[redacted: acme] and [redacted: acme]');
  assert.throws(() => withoutSecrets([]), { code: 'invalid_option' });
});

test('findings that overlap are one, from the first character of the first to the last of the longest', async () => {
  const at = (id: string, ...ranges: [number, number][]) => ({ meta: { id }, create: (context: { report(found: { range: [number, number] }): void }) => ({ file: () => ranges.forEach((range) => context.report({ range })) }) });
  assert.equal(await withoutSecrets([at('short', [2, 3]), at('inner', [4, 6]), at('outer', [2, 8]), at('late', [7, 9])])('0123456789'), '01[redacted: outer]9');
});

// Every place of a conversation: a message's text, a call's input, a result, the topic, and the summary that names them again.
test('no secret of any kind survives in a request or in a stored summary', async () => {
  for (let round = 0; round < 5; round++) {
    const made = samples();
    const messages: ChatMessage[] = [];
    made.forEach(([, secret, text], n) => {
      const said = `${text(secret)} ${'lorem ipsum '.repeat(10 + random(20))}`;
      if (n % 3 === 0) messages.push({ role: 'user', content: said }, { role: 'assistant', content: `noted ${n}` });
      else if (n % 3 === 1) messages.push({ role: 'assistant', content: said }, { role: 'user', content: `go on ${n}` });
      else messages.push({ role: 'assistant', content: null, tool_calls: [{ id: `call-${n}`, type: 'function', function: { name: 'read', arguments: JSON.stringify({ text: 'plain' }) } }] }, { role: 'tool', tool_call_id: `call-${n}`, content: said }, { role: 'assistant', content: `read ${n}` });
    });
    messages.push({ role: 'user', content: 'and now?' });
    const [one, two] = [made[random(made.length)], made[26]];
    assert.ok(one && two);
    const reply = `The user asked many things; all were answered. Kept: ${one[2](one[1])}\nNext: go on with ${two[2](two[1])}.`;
    const requests: string[] = [];
    const session = openSession({ id: `rules-${round}`, store: memory(), contextWindow: 65_536, prune: false, keep: { messages: 1 }, redact, summarize: async (request) => (requests.push(JSON.stringify(request.messages)), reply) });
    const result = await session.compact(messages, { focus: `the key ${two[1]}` });
    assert.equal(result.status, 'committed');
    const stored = (await session.advanced.records()).map(({ bytes }) => Buffer.from(bytes).toString('latin1')).join('');
    for (const [rule, secret] of made) {
      const written = JSON.stringify(secret).slice(1, -1);
      for (const [place, text] of [['request', requests.join('')], ['store', stored]] as const) assert.ok(!text.includes(secret) && !text.includes(written), `${rule} in the ${place}, round ${round}`);
    }
    assert.ok(requests.join('').includes('[redacted: github]') && stored.includes('[redacted: '));
  }
});
