// Sounds and speech, both off until somebody switches them on for this device (settings).

import { kept } from "./app.js";
import { boot } from "./texts.js";

const TONES = { play: [520], reroll: [440, 330], illegal: [330, 220], premature: [440, 330], doubt: [392, 392], double: [523, 659], game_end: [523, 659, 784], match_end: [523, 659, 784, 1047], camera_lost: [220] };
let context = null;

function beep(tones) {
  context ??= new AudioContext();
  tones.forEach((pitch, i) => {
    const tone = context.createOscillator();
    const volume = context.createGain();
    const start = context.currentTime + i * 0.16;
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.12, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + 0.15);
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + 0.16);
  });
}

export function playSound(kind, words) {
  if (kept("sound", "off") === "on") beep(TONES[kind] ?? TONES.play);
  if (words && kept("speech", "off") === "on" && "speechSynthesis" in globalThis) {
    const speech = new SpeechSynthesisUtterance(words);
    speech.lang = boot.language;
    speechSynthesis.speak(speech);
  }
}
