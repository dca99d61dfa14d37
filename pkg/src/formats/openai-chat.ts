// OpenAI chat messages, and what their compatible servers make of them. Field paths only.

import { Digest } from '../text/digest.js';
import { rough } from '../text/rough.js';
import type { ChatMessage } from '../surface.js';
import { readFailure } from './failure.js';
import { isFields, textAt, type Fields } from './json.js';
import { readOverflow } from './overflow.js';
import { Flag, Role, type Reader, type Reading } from './reader.js';
import { readReply } from './reply.js';
import { readUsage } from './usage.js';

/** `M` is the host's own type for these messages; nothing of it is read that is not checked. */
export function openAiChat<M>(): Reader<M>;
export function openAiChat(): Reader<ChatMessage> {
  return reader;
}

const reader: Reader<ChatMessage> = {
  name: 'openai_chat',
  message: readMessage,
  text: renderMessage,
  summaryMessage: (content) => ({ role: 'system', content }),
  lateResult: (text) => ({ role: 'user', content: `[late result of a tool call that was summarised above]\n${text}` }),
  requestMessages: (system, user) => [{ role: 'system', content: system }, { role: 'user', content: user }],
  usage: readUsage,
  reply: readReply,
  overflow: readOverflow,
  failure: readFailure,
};

/** Only what a model sees is fingerprinted: a host may add, drop or reorder any other field. */
function readMessage(message: unknown): Reading {
  const scan = new Scan();
  if (isFields(message)) scan.message(message);
  else if (typeof message === 'string') scan.digest.text(message);
  return scan.reading();
}

class Scan {
  readonly digest = new Digest();
  #role: number = Role.assistant;
  #flags = 0;
  #mediaTokens = 0;
  #calls: string[] | undefined;
  #answers: string[] | undefined;

  message(message: Fields): void {
    this.#role = roleOf(message.role);
    this.digest.mark(Tag.role + this.#role);
    this.#content(message.content);
    this.#openCalls(message);
    if (this.#role === Role.tool) this.#answer(textAt(message, 'tool_call_id') ?? legacyId(textAt(message, 'name')));
  }

  reading(): Reading {
    const { hi, lo, bytes } = this.digest;
    const tokens = rough(bytes) + this.#mediaTokens;
    return { hi, lo, role: this.#role, flags: this.#flags, tokens, calls: this.#calls ?? NONE, answers: this.#answers ?? NONE };
  }

  #content(content: unknown): void {
    if (typeof content === 'string') this.#text(content);
    else if (Array.isArray(content)) for (const part of content) this.#part(part);
    else if (content !== null && content !== undefined) this.#anything(content, 0);
  }

  #part(part: unknown): void {
    if (!isFields(part)) return this.#content(part);
    const text = part.text ?? part.refusal;
    if (typeof text === 'string') this.#text(text);
    else if (part.type === 'image_url') this.#media(part.image_url, Flag.image);
    else if (part.type === 'image') this.#media(part, Flag.image);
    else if (part.type === 'input_audio' || part.type === 'file' || part.type === 'document') this.#media(part, 0);
    else if (part.type === 'tool_use') this.#call(textAt(part, 'id'), part.name, part.input);
    else if (part.type === 'tool_result') this.#nestedResult(part);
    else this.#anything(part, 0);
  }

  /** Empty text is no text: hosts store `null`, `''` or nothing for a message that only calls tools. */
  #text(text: string): void {
    if (text === '') return;
    if (this.#role !== Role.tool && isOurSummary(text)) this.#flags |= Flag.hostSummary;
    this.digest.mark(Tag.text);
    this.digest.text(text);
  }

  #media(source: unknown, flag: number): void {
    this.#flags |= flag;
    this.#mediaTokens += textAt(source, 'detail') === 'low' ? LOW_DETAIL_TOKENS : MEDIA_TOKENS;
    this.digest.mark(Tag.media);
    this.#opaque(source, 0);
  }

  #openCalls(message: Fields): void {
    const calls = message.tool_calls;
    if (Array.isArray(calls)) {
      for (const call of calls) {
        const target = isFields(call) ? (call.function ?? call.custom) : undefined;
        const input = isFields(target) ? (target.arguments ?? target.input) : undefined;
        this.#call(textAt(call, 'id'), textAt(target, 'name'), input);
      }
    }
    const legacy = message.function_call;
    if (isFields(legacy)) this.#call(legacyId(textAt(legacy, 'name')), legacy.name, legacy.arguments);
  }

  #call(id: string | undefined, name: unknown, input: unknown): void {
    this.#flags |= Flag.call;
    (this.#calls ??= []).push(id ?? '');
    this.digest.mark(Tag.call);
    if (id !== undefined) this.digest.opaque(id);
    this.#anything(name, 0);
    this.#anything(input, 0);
  }

  #answer(id: string | undefined): void {
    this.#flags |= Flag.result;
    if (id === undefined) return;
    (this.#answers ??= []).push(id);
    this.digest.mark(Tag.answer);
    this.digest.opaque(id);
  }

  /** Servers in front of Anthropic models pass its blocks through: results come in a user message there. */
  #nestedResult(part: Fields): void {
    this.#role = Role.tool;
    this.#answer(textAt(part, 'tool_use_id'));
    this.#content(part.content);
  }

  /** Any JSON, in an order that does not depend on how its keys were written. */
  #anything(value: unknown, depth: number): void {
    this.digest.mark(Tag.value);
    if (typeof value === 'string') this.digest.text(value);
    else if (!isFields(value)) this.digest.scalar(value ?? null);
    else if (depth < MAX_DEPTH) {
      for (const key of Object.keys(value).sort()) {
        this.digest.mark(Tag.key);
        this.digest.text(key);
        this.#anything(value[key], depth + 1);
      }
    }
  }

  #opaque(value: unknown, depth: number): void {
    if (typeof value === 'string') this.digest.opaque(value);
    else if (isFields(value) && depth < MAX_DEPTH) {
      for (const key of Object.keys(value).sort()) {
        this.digest.opaque(key);
        this.#opaque(value[key], depth + 1);
      }
    }
  }
}

function roleOf(role: unknown): number {
  switch (role) {
    case 'system':
    case 'developer':
      return Role.system;
    case 'user':
      return Role.user;
    case 'tool':
    case 'function':
      return Role.tool;
    default:
      return Role.assistant;
  }
}

/** A host that stores the view as its history hands our own summary back (the crate's `view::wrap` closes with this tag). */
function isOurSummary(text: string): boolean {
  return text.endsWith('</cg-summary>') && text.includes('<cg-summary>');
}

/** Calls from before there were ids are tied to their result by the function's name. */
function legacyId(name: string | undefined): string | undefined {
  return name === undefined ? undefined : `function ${name}`;
}

function renderMessage(message: unknown): string {
  if (typeof message === 'string') return message;
  if (!isFields(message)) return '';
  const lines = renderContent(message.content, 0);
  if (Array.isArray(message.tool_calls)) {
    for (const call of message.tool_calls) lines.push(renderCall(isFields(call) ? (call.function ?? call.custom) : undefined));
  }
  if (isFields(message.function_call)) lines.push(renderCall(message.function_call));
  return lines.join('\n');
}

function renderContent(content: unknown, depth: number): string[] {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content) || depth >= MAX_DEPTH) return isFields(content) ? [json(content)] : [];
  return content.flatMap((part) => renderPart(part, depth));
}

function renderPart(part: unknown, depth: number): string[] {
  if (!isFields(part)) return renderContent(part, depth + 1);
  const text = part.text ?? part.refusal;
  if (typeof text === 'string') return [text];
  if (part.type === 'tool_use') return [renderCall(part)];
  if (part.type === 'tool_result') return renderContent(part.content, depth + 1);
  return [`[${typeof part.type === 'string' ? part.type.replace('_url', '') : 'data'}]`];
}

function renderCall(call: unknown): string {
  const input = isFields(call) ? (call.arguments ?? call.input) : undefined;
  return `${textAt(call, 'name') ?? 'tool'}(${typeof input === 'string' ? input : json(input ?? {})})`;
}

/** A value that JSON cannot write (a cycle, a bigint) is named by its kind. */
function json(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return `[${typeof value}]`;
  }
}

const NONE: readonly string[] = [];
/** Tags of the fingerprint. Stored fingerprints depend on them: add at the end, never renumber. */
const Tag = { role: 0, text: 8, media: 9, call: 10, answer: 11, value: 12, key: 13 } as const;
/** Deeper than any real message, shallow enough for every stack; also ends cycles. */
const MAX_DEPTH = 32;
/** One image or file until its real price is known: OpenAI charges 765 for a square megapixel, Anthropic at most about 1,600. */
const MEDIA_TOKENS = 1_200;
/** What OpenAI charges for an image in low detail. */
const LOW_DETAIL_TOKENS = 85;
