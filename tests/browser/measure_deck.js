// Every fault of a deck at 1280 x 720, all steps shown: a list of sentences.
() => {
  const faults = [];
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const numbers = (colour) => colour.match(/[\d.]+/g).map(Number);
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const [r, g, b, a = 1] = numbers(getComputedStyle(e).backgroundColor);
      if (a > 0.99) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const inDrawing = (img) => {
    const drawing = new DOMParser().parseFromString(
      new TextDecoder().decode(Uint8Array.from(atob(img.src.split(",")[1]), (c) => c.charCodeAt(0))),
      "image/svg+xml");
    const holder = document.body.appendChild(document.createElement("div"));
    const root = holder.attachShadow({ mode: "open" });
    root.append(document.importNode(drawing.documentElement, true));
    const [, , width, height] = drawing.documentElement.getAttribute("viewBox").split(" ").map(Number);
    const scale = Math.min(img.clientWidth / width, img.clientHeight / height);
    const sizes = [...root.querySelectorAll("text")].map((t) => [
      scale * parseFloat(getComputedStyle(t.querySelector("tspan") || t).fontSize), t.textContent]);
    holder.remove();
    return sizes;
  };
  document.querySelectorAll(".slides > section").forEach((section, i) => {
    Reveal.slide(i, 0, 99);
    const say = (what) => faults.push(`slide ${i + 1}: ${what}`);
    const note = section.querySelector("aside.notes");
    if (!note || !/^Minutes [\d.]+ to [\d.]+ of [\d.]+/.test(note.textContent.trim())) say("no note");
    const inside = (box, name) => {
      if (box.left < -1 || box.top < -1 || box.right > 1281 || box.bottom > 721)
        say(`${name} reaches to ${Math.round(box.right)} x ${Math.round(box.bottom)}`);
    };
    for (const e of section.querySelectorAll(".stage, .stage *")) {
      if (e.closest("math") && e.tagName !== "math") continue;
      inside(e.getBoundingClientRect(), e.tagName.toLowerCase());
      if (e.tagName === "IMG") {
        if (!e.alt.trim()) say("a figure without a description");
        for (const [size, text] of inDrawing(e)) if (size < 18) say(`${text} in a figure: ${size.toFixed(1)} px`);
      }
    }
    const walker = document.createTreeWalker(section.querySelector(".stage"), NodeFilter.SHOW_TEXT);
    for (let text; (text = walker.nextNode()); ) {
      if (!text.textContent.trim()) continue;
      const style = getComputedStyle(text.parentElement);
      const words = text.textContent.trim().slice(0, 30);
      const drawn = document.createRange();
      drawn.selectNodeContents(text);
      inside(drawn.getBoundingClientRect(), words);
      if (parseFloat(style.fontSize) < 18) say(`${words}: ${style.fontSize}`);
      const ratio = contrast(numbers(style.color).slice(0, 3), ground(text.parentElement));
      if (ratio < 4.5) say(`${words}: contrast ${ratio.toFixed(1)}`);
    }
  });
  return faults;
}
