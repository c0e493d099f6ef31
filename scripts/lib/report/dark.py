# SPDX-License-Identifier: MIT
"""Colours of figures on a dark page: of the same hue, and light where they were dark.

B. Ottosson: A perceptual color space for image processing, 2020,
https://bottosson.github.io/posts/oklab/"""

import numpy

TO_CONES = numpy.array([[0.4122214708, 0.5363325363, 0.0514459929],
                        [0.2119034982, 0.6806995451, 0.1073969566],
                        [0.0883024619, 0.2817188376, 0.6299787005]])
TO_LAB = numpy.array([[0.2104542553, 0.7936177850, -0.0040720468],
                      [1.9779984951, -2.4285922050, 0.4505937099],
                      [0.0259040371, 0.7827717662, -0.8086757660]])
INK, PAPER = 0.91, 0.2  # lightness of what was black and white
# Lifts what was light: colours of 3:1 on white paper have that on black paper too.
LIFT = 1.6


def lab_of(colour):
    """Lightness, from green to red, from blue to yellow; of "#rrggbb"."""
    channels = numpy.array(list(bytes.fromhex(colour[1:]))) / 255
    linear = numpy.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return TO_LAB @ numpy.cbrt(TO_CONES @ linear)


def dark(colour):
    """What a colour of a figure, "#rrggbb", becomes on a dark page."""
    lightness, *hue = lab_of(colour)
    lightness = INK - (INK - PAPER) * lightness ** LIFT
    for part in numpy.linspace(1, 0, 41):  # as colourful as a screen can show it
        lab = [lightness, *(part * way for way in hue)]
        linear = numpy.linalg.solve(TO_CONES, numpy.linalg.solve(TO_LAB, lab) ** 3)
        if 0 <= min(linear) and max(linear) <= 1:
            break
    linear = numpy.clip(linear, 0, 1)
    channels = numpy.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return "#" + bytes(numpy.round(255 * channels).astype(int).tolist()).hex()
