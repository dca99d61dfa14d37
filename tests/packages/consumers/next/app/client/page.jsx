'use client';
import * as governor from 'compaction-governor';
import { useEffect, useState } from 'react';
import { talk } from '../../talk.js';

export default function Page() {
  const [told, setTold] = useState('');
  useEffect(() => void talk(governor).catch(String).then(setTold), []);
  return <p id="told">{told}</p>;
}
