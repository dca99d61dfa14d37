// The page: sends a message by WebSocket or by POST, shows what streams back, and how full the window is.
const id = new URLSearchParams(location.search).get('chat') ?? fresh();
const at = (path = '') => new URL(`chat/${id}${path}`, location.href);
const element = (name) => document.getElementById(name);
let answer;
let socket;

element('say').addEventListener('submit', async (event) => {
  event.preventDefault();
  const text = element('text').value;
  element('text').value = '';
  add('user', text);
  if (element('events').checked) await bySentEvents(text);
  else (await opened()).send(text);
});
for (const { role, content } of await (await fetch(at('/messages'))).json()) add(role, content);
await showContext();
element('send').disabled = false;

/** A conversation of one's own, named in the address so that a reload finds it. */
function fresh() {
  const name = crypto.randomUUID();
  history.replaceState(null, '', `?chat=${name}`);
  return name;
}

function opened() {
  if (socket?.readyState === WebSocket.OPEN) return socket;
  const url = at();
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  socket = new WebSocket(url);
  socket.addEventListener('message', ({ data }) => show(JSON.parse(data)));
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve(socket));
    socket.addEventListener('error', () => reject(new Error('the WebSocket did not open')));
  });
}

async function bySentEvents(text) {
  const response = await fetch(at(), { method: 'POST', body: text });
  let rest = '';
  for await (const part of pieces(response.body.pipeThrough(new TextDecoderStream()))) {
    const events = (rest + part).split('\n\n');
    rest = events.pop();
    for (const event of events) show(JSON.parse(event.slice('data: '.length)));
  }
}

async function* pieces(stream) {
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
}

function show(told) {
  if (told.type === 'delta') {
    answer ??= add('assistant', '');
    answer.textContent += told.text;
  } else if (told.type === 'done') {
    answer = undefined;
    void showContext();
  } else add('notice', told.type === 'compaction' ? `compaction: ${told.status.replace('_', ' ')}` : told.message);
}

async function showContext() {
  const { decision, snapshot } = await (await fetch(at('/context'))).json();
  const window = decision.windowTokens ?? 0;
  element('full').textContent = `${decision.usedTokens ?? 0} of ${window} tokens, ${snapshot.compactions} compactions`;
  element('meter').value = window > 0 ? (decision.usedTokens ?? 0) / window : 0;
  element('decision').textContent = decision.sentence;
}

function add(role, content) {
  const item = document.createElement('li');
  item.className = role;
  item.textContent = content;
  element('messages').append(item);
  item.scrollIntoView({ block: 'nearest' });
  return item;
}
